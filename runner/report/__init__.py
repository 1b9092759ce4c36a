"""What stands at the end of a run: tables, figures, pages."""
