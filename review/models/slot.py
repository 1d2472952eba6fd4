from typing import Any, ClassVar

from django.contrib.postgres.fields import BigIntegerRangeField
from django.db.models import Func


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
