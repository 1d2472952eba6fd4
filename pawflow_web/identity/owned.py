"""Everything that is an owner's: every row that leads to them by foreign keys, whatever app it is of.

Found in the models themselves, so that a table somebody adds later goes with its owner as well.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from graphlib import TopologicalSorter

from django.apps import apps
from django.db import models

from pawflow_web.identity.models import Erasure, User, UserClock
from pawflow_web.lib.db import execute

# They say that an owner is being erased, and let nobody else write meanwhile: they go with the owner.
_LAST = (UserClock, Erasure, User)
# Rows in one statement, so that none takes long.
SLICE = 2000


@dataclass(frozen=True, slots=True)
class OwnedTable:
    """A table of rows that each belong to one owner.

    ``whose`` is a condition on the row ``t`` with the owner's id as its parameter; ``own_links`` are the columns by
    which its rows name each other.
    """

    name: str
    whose: str
    own_links: tuple[str, ...]

    def erase_some(self, user_id: int) -> bool:
        """A slice of the owner's rows. Returns whether there was any. Two statements, or three."""
        wanted = f"ARRAY(SELECT t.ctid FROM {self.name} AS t WHERE {self.whose} LIMIT {SLICE})"
        for column in self.own_links:
            # One may name another that stands in a later slice.
            execute(
                f"UPDATE {self.name} SET {column} = NULL WHERE ctid = ANY(ARRAY("
                f"SELECT t.ctid FROM {self.name} AS t WHERE {self.whose} AND t.{column} IS NOT NULL))",
                [user_id],
            )
        gone = (
            f"WITH gone AS (DELETE FROM {self.name} WHERE ctid = ANY({wanted}) RETURNING 1) SELECT count(*) FROM gone"
        )
        return bool(execute(gone, [user_id])[0][0])


def owned_tables() -> Iterator[OwnedTable]:
    """In an order in which each can be emptied: what points at a row comes before it."""
    found = _foreign_keys()
    rows = {
        model: [key.related_model for key in keys if key.related_model is not model] for model, keys in found.items()
    }
    for model in reversed(list(TopologicalSorter(rows).static_order())):
        if model in found and model not in _LAST:
            links = tuple(key.column for key in found[model] if key.related_model is model and key.null)
            yield OwnedTable(model._meta.db_table, _whose(model, "t"), links)


def owned_models() -> list[type[models.Model]]:
    """Those whose rows each belong to one owner, that of the owners included."""
    return [User, *_foreign_keys()]


def _whose(model: type[models.Model], row: str) -> str:
    """The condition that a row of the model is the owner's, by the shortest way."""
    keys = _foreign_keys()[model]
    direct = next((key for key in keys if key.related_model is User), None)
    if direct is not None:
        return f"{row}.{direct.column} = %s"
    way = next(key for key in keys if not key.null)
    parent, above = way.related_model, f"{row}_up"
    return (
        f"{row}.{way.column} IN (SELECT {above}.{way.target_field.column} FROM {parent._meta.db_table} AS {above}"
        f" WHERE {_whose(parent, above)})"
    )


@cache
def _foreign_keys() -> "dict[type[models.Model], list[models.ForeignKey[models.Model, models.Model]]]":
    """Of each model whose rows lead to an owner, the foreign keys that lead to rows of an owner."""
    owned: set[type[models.Model]] = {User}
    every = [
        model for model in apps.get_models(include_auto_created=True) if model._meta.managed and not model._meta.proxy
    ]
    while True:
        more = {model for model in every if model not in owned and any(_leads(key, owned) for key in _keys(model))}
        if not more:
            break
        owned |= more
    return {
        model: [key for key in _keys(model) if key.related_model in owned] for model in every if model in owned - {User}
    }


def _leads(key: "models.ForeignKey[models.Model, models.Model]", owned: set[type[models.Model]]) -> bool:
    return key.related_model in owned and not (key.null and key.related_model is not User)


def _keys(model: type[models.Model]) -> "list[models.ForeignKey[models.Model, models.Model]]":
    return [
        field for field in model._meta.get_fields() if isinstance(field, models.ForeignKey) and not field.auto_created
    ]
