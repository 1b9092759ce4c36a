"""How a case becomes messages, and a reply becomes an action."""
