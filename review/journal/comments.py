"""What somebody says beside a decision, as the journal takes it."""

from typing import Self

from pawflow_web.lib.storable import without_secrets


class Comment(str):
    """Words that were looked through for secrets. That takes longer than a decision, so it happens once, before the
    owner's clock is taken; the type says that it did."""

    __slots__ = ()

    @classmethod
    def of(cls, text: str, *, field: str = "reason") -> Self:
        """The text without what looks like a secret. One that is a comment already is not looked through again.

        Raises what :func:`~pawflow_web.lib.storable.without_secrets` raises, about ``field``.
        """
        return text if isinstance(text, cls) else cls(without_secrets(text, field=field))


NO_COMMENT = Comment()
