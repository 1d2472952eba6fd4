"""The tables of this app in ``/admin``."""

from review.admin import beliefs, journal, records, wishes

__all__ = ["beliefs", "journal", "records", "wishes"]
