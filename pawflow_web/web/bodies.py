"""How much one request may bring."""

from django.conf import settings

from pawflow_web.lib.registry import Registry

# Borders of a form and the names of its fields, beside what is in them.
_ROOM = 256 * 1024

# Addresses that take files: path -> most bytes of one.
uploads: Registry[int] = Registry("address that takes files")


def most_bytes(path: str) -> int:
    """Of the whole body."""
    return _ROOM + (uploads.find(path) or settings.DATA_UPLOAD_MAX_MEMORY_SIZE)
