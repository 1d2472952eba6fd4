"""The formats in which products keep their sessions. Nothing here knows a database."""
