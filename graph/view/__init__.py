"""A graph as a drawing and as a table. It knows boxes and lines alone, so that it can show whatever has nodes."""
