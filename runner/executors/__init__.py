"""Where units of work are carried out."""
