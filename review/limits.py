"""How long things may be. Each number has this one home."""

TEXT_MOST = 8000  # characters of a belief
COMMENT_MOST = 500  # characters of what a person says to a decision
BULK_MOST = 500  # beliefs that are decided at once
TTL_DAYS_MOST = 3650
