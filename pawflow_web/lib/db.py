"""Small pieces of PostgreSQL that Django does not bring."""

import time
from collections.abc import Sequence
from typing import Any, ClassVar

from django.contrib.postgres.fields import BigIntegerRangeField
from django.db import connection
from django.db.models import DateTimeField, Func

Row = tuple[Any, ...]


class ExclusiveSlot(Func):
    """``int8range(h, h, '[]')`` over a 62-bit hash of (owner, exclusive key); NULL when there is no key.

    The embedded server has no btree_gist, so an EXCLUDE constraint cannot hold scalars; a one-point range
    works as well. 62 bits, since ``int8range(2^63-1, 2^63-1, '[]')`` overflows.
    """

    template = (
        "CASE WHEN exclusive_key = '' THEN NULL ELSE int8range("
        "hashtextextended(user_id::text || ':' || exclusive_key, 0) & 4611686018427387903, "
        "hashtextextended(user_id::text || ':' || exclusive_key, 0) & 4611686018427387903, '[]') END"
    )
    # At class level: sqlmigrate resolves the expression before an instance's output_field exists.
    output_field: ClassVar[Any] = BigIntegerRangeField(null=True)


class StatementNow(Func):
    """The moment this statement began. ``Now()`` is the start of the transaction, which lies before the rows
    that the same transaction has just written under the owner's clock."""

    function = "statement_timestamp"
    arity = 0
    output_field: ClassVar[Any] = DateTimeField()


def execute(sql: str, params: Sequence[Any] | dict[str, Any] = ()) -> list[Row]:
    """Run one statement on Django's connection as a *prepared* statement with server-side parameters.

    For the few statements of the hot path: the ORM costs more there than the database does. Shares Django's
    transaction and shows up in ``connection.queries`` like any other statement.

    Returns: all rows, or [] for a statement without a result.
    """
    # As a cursor of Django does: a worker's old connection may be gone.
    connection.close_if_health_check_failed()
    connection.ensure_connection()
    # A rolled-back savepoint or a broken transaction must refuse us as it refuses the ORM.
    connection.validate_no_broken_transaction()
    started = time.perf_counter()
    with connection.wrap_database_errors:
        cursor = connection.connection.execute(sql, params, prepare=True)
        rows: list[Row] = cursor.fetchall() if cursor.description else []
    if connection.queries_logged:
        connection.queries_log.append({"sql": sql, "time": f"{time.perf_counter() - started:.3f}"})
    return rows
