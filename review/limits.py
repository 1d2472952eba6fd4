"""How long things may be. Each number has this one home."""

TEXT_MOST = 8000  # characters of a belief
COMMENT_MOST = 500  # characters of what a person says to a decision
BULK_MOST = 500  # beliefs that are named one by one and decided at once
ASK_ABOVE = 20  # above so many at once a person is asked first
WAIT_MOST = 200  # so many are decided while somebody waits for the answer; more are a job
TTL_DAYS_MOST = 3650
