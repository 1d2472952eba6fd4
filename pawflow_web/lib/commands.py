"""Commands for people and programs: a sentence, or with ``--json`` the JSON alone on standard output."""

import json
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from pawflow_web.lib.errors import DomainError, Invalid


class JsonCommand(BaseCommand):
    """Base of commands that answer. Exit codes: 0 done, 1 refused, 2 wrong usage."""

    # A command must not fail because a check of something it does not use does.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Subclasses with subcommands pass each of their parsers to :meth:`add_json` instead."""
        self.add_json(parser)

    @staticmethod
    def add_json(parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print the answer as JSON and nothing else")

    def handle(self, *args: Any, **options: Any) -> None:
        as_json = bool(options.get("json"))
        try:
            _check_words(options)
            answer = self.answer(**options)
        except DomainError as error:
            if as_json:
                self._print_json(error.body())
                raise SystemExit(1) from None
            raise CommandError(error.message, returncode=1) from None
        if as_json:
            self._print_json(answer)
        else:
            self.stdout.write(self.words(answer, **options))

    @abstractmethod
    def answer(self, **options: Any) -> dict[str, Any]:
        """Do it and return the JSON object. Raises :class:`DomainError` for a refusal."""

    def words(self, answer: dict[str, Any], **options: Any) -> str:
        """The answer for a person; by default one ``name: value`` a line."""
        return "\n".join(f"{name}: {'' if value is None else value}" for name, value in answer.items())

    def _print_json(self, answer: dict[str, Any]) -> None:
        self.stdout.write(json.dumps(answer, ensure_ascii=False))


def _check_words(options: Mapping[str, Any]) -> None:
    """Paths may be any bytes; names and words are stored and compared, so they have to be UTF-8. Raises
    :class:`Invalid`."""
    for name, value in options.items():
        for text in value if isinstance(value, list | tuple) else (value,):
            if isinstance(text, str) and not _is_whole(text):
                raise Invalid(f"{name}: {ascii(text)[:80]} is not UTF-8.", fields={name: "must be UTF-8"})


def _is_whole(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
