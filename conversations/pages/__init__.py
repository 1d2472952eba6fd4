"""Pages of what was said and done in conversations."""
