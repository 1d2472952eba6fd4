"""Small pieces of PostgreSQL that Django does not bring."""

import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, ClassVar

from django.db import DatabaseError, IntegrityError, connection, transaction
from django.db.models import AutoField, DateTimeField, Field, Func, Model
from psycopg import Cursor

from pawflow_web.lib.errors import Conflict

_FOREIGN_KEY_VIOLATION = "23503"

Row = tuple[Any, ...]


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
        # A cursor of Django's would put the values into the text, which then is another statement each time.
        cursor = Cursor(connection.connection).execute(sql, params, prepare=True)
        # Not ``cursor.description``: that looks up the type of every column.
        rows: list[Row] = cursor.fetchall() if cursor.pgresult and cursor.pgresult.nfields else []
    if connection.queries_logged:
        connection.queries_log.append({"sql": sql, "time": f"{time.perf_counter() - started:.3f}"})
    return rows


@contextmanager
def translated_commit() -> Iterator[None]:
    """``atomic`` with what only the commit finds, in the words of the domain.

    Raises :class:`Conflict` when something was deleted that a new row refers to: foreign keys are checked at the end.
    """
    try:
        with transaction.atomic():
            yield
    except IntegrityError as error:
        if getattr(error.__cause__, "sqlstate", "") == _FOREIGN_KEY_VIOLATION:
            raise Conflict("Something this refers to was deleted at the same moment. Nothing was stored.") from error
        raise


@contextmanager
def statement_deadlines() -> Iterator[Callable[[int | None], None]]:
    """Gives a function that says how many milliseconds each statement of this connection may take from now on; None:
    as long as ever. At the end it is as before. Costs a statement for each change and one at the end."""
    current: int | None = None

    def allow(milliseconds: int | None) -> None:
        nonlocal current
        if milliseconds != current:
            value = "DEFAULT" if milliseconds is None else int(milliseconds)
            execute(f"SET statement_timeout = {value}")
            current = milliseconds

    try:
        yield allow
    finally:
        try:
            allow(None)
        except DatabaseError:
            connection.close()  # a connection goes back as it came, or not at all


@contextmanager
def advisory_lock(name: str) -> Iterator[bool]:
    """Whether this connection now holds the lock of that name; never waits. Locks of one connection count up and
    down. The lock is gone with the connection: opening another one for it would cost more than most work under it.
    """
    held = bool(execute("SELECT pg_try_advisory_lock(hashtextextended(%s, 0))", [name])[0][0])
    try:
        yield held
    finally:
        if held:
            _unlock(name)


@contextmanager
def awaited_lock(name: str) -> Iterator[None]:
    """The same lock, however long that takes: for commands, whose statements have no deadline. Who waits comes before
    whoever only tries."""
    execute("SELECT pg_advisory_lock(hashtextextended(%s, 0))", [name])
    try:
        yield
    finally:
        _unlock(name)


def _unlock(name: str) -> None:
    try:
        execute("SELECT pg_advisory_unlock(hashtextextended(%s, 0))", [name])
    except DatabaseError:
        connection.close()  # ends the session, and with it whatever it still holds


@cache
def insert_statement(model: type[Model]) -> str:
    """``INSERT INTO ... VALUES (...)`` of one row with every stored column, for the parameters of
    :func:`values_of`. Ends open, for a ``RETURNING`` or an ``ON CONFLICT``."""
    values = ", ".join(f"%({field.attname})s::{_type_of(field)}" for field in _stored(model))
    return f"INSERT INTO {model._meta.db_table} ({_columns(model)}) VALUES ({values})"


@cache
def insert_many_statement(model: type[Model]) -> str:
    """The same for any number of rows, for the parameters of :func:`columns_of`."""
    arrays = ", ".join(f"%({field.attname})s::{_type_of(field)}[]" for field in _stored(model))
    return f"INSERT INTO {model._meta.db_table} ({_columns(model)}) SELECT * FROM unnest({arrays})"


def values_of(row: Model) -> dict[str, Any]:
    """Every stored column of a row by its attribute's name, as the database takes it."""
    return {field.attname: _prepared(row, field) for field in _stored(type(row))}


def columns_of(rows: Sequence[Model]) -> dict[str, list[Any]]:
    """The same of rows of one model, a list for each column. At least one row, and no column of arrays."""
    return {field.attname: [_prepared(row, field) for row in rows] for field in _stored(type(rows[0]))}


@cache
def _stored(model: type[Model]) -> "tuple[Field[Any, Any], ...]":
    """What an INSERT gives; the database makes the rest."""
    fields = model._meta.local_concrete_fields
    return tuple(field for field in fields if not field.generated and not isinstance(field, AutoField))


def _prepared(row: Model, field: "Field[Any, Any]") -> Any:
    return field.get_db_prep_save(getattr(row, field.attname), connection)


def _columns(model: type[Model]) -> str:
    return ", ".join(str(field.column) for field in _stored(model))


def _type_of(field: "Field[Any, Any]") -> str:
    """Without a length: a cast to one would cut what is too long, where the column refuses it."""
    return re.sub(r"\(\d+\)", "", field.db_type(connection) or "")
