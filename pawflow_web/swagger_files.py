"""Swagger UI's own files, served from the package that brings them: nothing of it lies in our tree."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.contrib.staticfiles.finders import BaseFinder
from django.core.files.storage import FileSystemStorage

PREFIX = "swagger"
# The package also brings another viewer of 4 MB that nobody asks for.
NAMES = ("swagger-ui-bundle.js", "swagger-ui.css", "swagger-ui.css.map")


class SwaggerFiles(BaseFinder):
    """Offers exactly :data:`NAMES` under ``swagger/``."""

    def __init__(self, *_: Any, **__: Any) -> None:
        spec = importlib.util.find_spec("ninja")
        assert spec is not None  # noqa: S101 - a requirement of the product
        assert spec.origin is not None  # noqa: S101
        self._folder = Path(spec.origin).parent / "static" / "ninja"
        self._storage = FileSystemStorage(location=self._folder)
        self._storage.prefix = PREFIX  # type: ignore[attr-defined]  # what collectstatic reads

    def check(self, **_: Any) -> list[Any]:
        return []

    def find(self, path: str, find_all: bool = False, **_: Any) -> Any:  # noqa: FBT001, FBT002 - Django's signature
        folder, _slash, name = path.partition("/")
        found = str(self._folder / name) if folder == PREFIX and name in NAMES else None
        if find_all:
            return [found] if found else []
        return found

    def list(self, ignore_patterns: Any) -> Iterator[tuple[str, FileSystemStorage]]:
        for name in NAMES:
            yield name, self._storage
