"""What was said and done in conversations: kept as it came, in order, and never changed."""
