"""Moments before, on and after bounds, written down by hand, in UTC, from the rules of each zone."""

from typing import Any

# zone, bound as it was told, its first instant in UTC, then (question, whether the new value holds)
MATRIX: list[tuple[str, Any, str, list[tuple[Any, bool]]]] = [
    (
        "Europe/Berlin",
        "2026-03-29",  # a day of 23 hours
        "2026-03-28T23:00:00Z",
        [
            ("2026-03-28T22:59:59.999999Z", False),
            ("2026-03-28T23:00:00Z", True),
            ("2026-03-29T00:00:00.000001+01:00", True),
            ("2026-03-28", False),
            ("2026-03-29", True),
            ("2026-03-30", True),
            ("2026-02", False),
            ("2026-03", True),
            ("2026-04", True),
            ("2025", False),
            ("2026", True),
            (1774738799, False),
            (1774738800, True),
            (1774738801, True),
            (1774738799999, False),
            (1774738800000, True),
        ],
    ),
    (
        "Europe/Berlin",
        "2026-03-30",
        "2026-03-29T22:00:00Z",
        [
            ("2026-03-29T21:59:59.999999Z", False),
            ("2026-03-29T22:00:00Z", True),
            ("2026-03-29", False),
            ("2026-03-30", True),
        ],
    ),
    (
        "Europe/Berlin",
        "2026-10-25",  # a day of 25 hours
        "2026-10-24T22:00:00Z",
        [
            ("2026-10-24T21:59:59.999999Z", False),
            ("2026-10-24T22:00:00Z", True),
            ("2026-10-24", False),
            ("2026-10-25", True),
            ("2026-10-26", True),
        ],
    ),
    (
        "Europe/Berlin",
        "2026-10-26",
        "2026-10-25T23:00:00Z",
        [
            # the hour that comes twice belongs to the day before
            ("2026-10-25T02:30:00+02:00", False),
            ("2026-10-25T02:30:00+01:00", False),
            ("2026-10-25T22:59:59.999999Z", False),
            ("2026-10-25T23:00:00Z", True),
            ("2026-10-25", False),
            ("2026-10-26", True),
        ],
    ),
    (
        "Europe/Berlin",
        "2026-10-25T02:30:00+01:00",  # the second of the two
        "2026-10-25T01:30:00Z",
        [
            ("2026-10-25T02:30:00+02:00", False),
            ("2026-10-25T01:29:59.999999Z", False),
            ("2026-10-25T01:30:00Z", True),
            ("2026-10-25T01:30:00.000001Z", True),
            # inside that day: asked for the day, its end counts
            ("2026-10-24", False),
            ("2026-10-25", True),
            ("2026-09", False),
            ("2026-10", True),
        ],
    ),
    (
        "Europe/Berlin",
        "2026-03",
        "2026-02-28T23:00:00Z",
        [
            ("2026-02-28T22:59:59.999999Z", False),
            ("2026-02-28T23:00:00Z", True),
            ("2026-02-28", False),
            ("2026-03-01", True),
            ("2026-02", False),
            ("2026-03", True),
            ("2025", False),
            ("2026", True),
        ],
    ),
    (
        "Europe/Berlin",
        "2024",
        "2023-12-31T23:00:00Z",
        [
            ("2023-12-31T22:59:59.999999Z", False),
            ("2023-12-31T23:00:00Z", True),
            ("2023-12-31", False),
            ("2024-01-01", True),
            ("2023-12", False),
            ("2024-01", True),
            ("2023", False),
            ("2024", True),
            ("2025", True),
        ],
    ),
    (
        "Pacific/Auckland",
        1751371200,  # an instant: 2 July 2025, 00:00 in Auckland
        "2025-07-01T12:00:00Z",
        [
            (1751371199, False),
            (1751371200, True),
            (1751371199999, False),
            ("2025-07-01T23:59:59.999999+12:00", False),
            ("2025-07-02T00:00:00+12:00", True),
            ("2025-07-01", False),
            ("2025-07-02", True),
            ("2025-06", False),
            ("2025-07", True),
        ],
    ),
    (
        "Africa/Cairo",
        "2026-04-24",  # begins at one o'clock: its midnight is skipped
        "2026-04-23T22:00:00Z",
        [
            ("2026-04-23T21:59:59.999999Z", False),
            ("2026-04-24T01:00:00+03:00", True),
            ("2026-04-23", False),
            ("2026-04-24", True),
        ],
    ),
    (
        "Pacific/Apia",
        "2011-12-30",  # a day that there never was
        "2011-12-30T10:00:00Z",
        [
            ("2011-12-30T09:59:59.999999Z", False),
            ("2011-12-30T10:00:00Z", True),
            ("2011-12-29", False),
            ("2011-12-30", True),
            ("2011-12-31", True),
        ],
    ),
]
