"""What turns a parsed answer into a verdict."""
