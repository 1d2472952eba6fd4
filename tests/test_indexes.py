"""No index is kept twice: each costs every write, and the second one serves no question."""

import pytest

from pawflow_web.lib.db import execute

_TWICE = """
SELECT t.relname, array_agg(c.relname::text ORDER BY c.relname)
FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
WHERE t.relnamespace = 'public'::regnamespace AND t.relname ~ %s
GROUP BY t.relname, c.relam, i.indkey::text, i.indclass::text, i.indoption::text,
  pg_get_expr(i.indexprs, i.indrelid), pg_get_expr(i.indpred, i.indrelid)
HAVING count(*) > 1
"""
# The tables of the product; those of its libraries are theirs.
OURS = "^(conversations|identity|jobs|llm|memory|review)_"


@pytest.mark.django_db
def test_no_two_indexes_of_a_table_are_the_same() -> None:
    assert execute(_TWICE, [OURS]) == []
    execute("CREATE INDEX tests_once_more ON review_governanceitem (supersedes_id)")
    assert execute(_TWICE, [OURS]) == [("review_governanceitem", ["review_item_supersedes", "tests_once_more"])]
