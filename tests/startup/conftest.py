from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.startup.product import Product, open_folder

Starter = Callable[..., Product]


@pytest.fixture
def folder() -> Iterator[Path]:
    with open_folder() as found:
        yield found


@pytest.fixture
def data_dir(folder: Path) -> Path:
    return folder / "data"


@pytest.fixture
def start(data_dir: Path) -> Iterator[Starter]:
    """Starts the product over this test's data directory; everything is ended afterwards."""
    started: list[Product] = []

    def begin(*arguments: str, **environment: str) -> Product:
        started.append(Product(data_dir, *arguments, **environment))
        return started[-1]

    yield begin
    for product in started:
        product.end()


@pytest.fixture(scope="module")
def running() -> Iterator[Product]:
    """A product that is up for all tests of a module, which leave it as it is."""
    with open_folder() as found:
        product = Product(found / "data")
        try:
            product.wait_ready()
            yield product
        finally:
            product.end()
