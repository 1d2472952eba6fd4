"""Sessions: what was said and done, read from wherever it was kept, as one stream of entries."""
