"""Querysets of the hot path, compiled once.

The ORM takes longer to put a statement with many joins together than the database takes to answer it, and without
preparing it the database plans it anew each time. What changes from call to call is only which ids are asked for.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Generic, TypeVar

from django.db.models import F, Model, QuerySet, Value
from django.db.models.lookups import Exact
from django.db.models.query import get_related_populators

from pawflow_web.lib.db import execute

M = TypeVar("M", bound=Model)

# Stands among the parameters of the compiled statement where the ids of a call go.
_IDS = object()


class RowsByIds(Generic[M]):
    """``rows().filter(<by>__in=ids)`` as a prepared statement, with what it selects beside its own columns.

    ``rows`` is asked once, at the first call; nothing in it may depend on the caller or the moment.
    """

    def __init__(self, rows: Callable[[], QuerySet[M]], *, by: str = "pk") -> None:
        self._rows = rows
        self._by = by

    def __call__(self, ids: Sequence[int]) -> list[M]:
        return self._statement(ids) if ids else []

    @cached_property
    def _statement(self) -> "_Statement[M]":
        return _Statement(self._rows().filter(Exact(F(self._by), _AnyOf(_IDS))))


class _AnyOf(Value):
    """One parameter for any number of ids, so that the text of the statement stays the same. A condition on the row
    itself, not a join: past `join_collapse_limit` tables the planner would do a join with the ids last of all."""

    def as_sql(self, *_: Any, **__: Any) -> tuple[str, tuple[Any, ...]]:
        return "ANY (%s::bigint[])", (self.value,)


class _Statement(Generic[M]):
    """What Django's ``ModelIterable`` finds out for each run of a queryset, found out once."""

    def __init__(self, rows: QuerySet[M]) -> None:
        compiler = rows.query.get_compiler(using=rows.db)
        self._sql, self._params = compiler.as_sql()
        # Filled by as_sql().
        about: dict[str, Any] = compiler.klass_info
        self._database = rows.db
        self._model: type[M] = about["model"]
        self._first, self._end = about["select_fields"][0], about["select_fields"][-1] + 1
        self._names = [column[0].target.attname for column in compiler.select[self._first : self._end]]
        self._related = get_related_populators(about, compiler.select, rows.db)  # type: ignore[call-arg]  # stubs of Django 6
        self._annotations = list(compiler.annotation_col_map.items())
        self._compiler = compiler

    def __call__(self, ids: Sequence[int]) -> list[M]:
        given = list(ids)
        found = execute(self._sql, [given if value is _IDS else value for value in self._params])
        return [self._built(row) for row in self._compiler.results_iter([found])]

    def _built(self, row: Sequence[Any]) -> M:
        built = self._model.from_db(self._database, self._names, row[self._first : self._end])
        for related in self._related:
            related.populate(row, built)
        for name, column in self._annotations:
            setattr(built, name, row[column])
        return built
