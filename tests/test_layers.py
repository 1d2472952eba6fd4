"""Foreign keys point down as imports do, in the models and in the migrations that make their tables."""

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.apps import apps
from django.db.migrations.loader import MigrationLoader
from django.db.models import Model

CHECKOUT = Path(__file__).resolve().parent.parent


def layers() -> list[str]:
    """The packages that hold apps, the highest first, as the linter of imports has them."""
    contract = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"][0]
    return [name for name in contract["layers"] if ":" not in name]


def heights() -> dict[str, int]:
    """Label of an app to its place; what stands above has the larger number. Django's own apps lie below all."""
    places = {name: height for height, name in enumerate(reversed(layers()), start=1)}
    return {config.label: places.get(config.name, 0) for config in apps.get_app_configs()}


OURS = [label for label, height in heights().items() if height]


def test_every_app_of_ours_has_its_layer() -> None:
    folders = {CHECKOUT, CHECKOUT / "pawflow_web"}
    packages = {config.label for config in apps.get_app_configs() if Path(config.path).parent in folders}
    assert packages - {"pawflow_web"} == set(OURS)


@pytest.mark.parametrize("model", [m for m in apps.get_models() if m._meta.app_label in OURS], ids=lambda m: m.__name__)
def test_relations_of_a_model_point_down(model: type[Model]) -> None:
    height = heights()
    relations = [field for field in model._meta.get_fields(include_hidden=True) if field.is_relation]
    for field in relations:
        # From the other end the same relation has to be the other app's own.
        if field.auto_created and not field.concrete:
            if field.related_model._meta.app_label == "admin":
                # The log of Django's admin names the person, whoever that is; it is not ours.
                continue
            assert height[field.related_model._meta.app_label] >= height[model._meta.app_label], field
        else:
            assert height[field.related_model._meta.app_label] <= height[model._meta.app_label], field


def test_there_are_relations_between_layers_to_look_at() -> None:
    height = heights()
    crossing = [
        (model, field)
        for model in apps.get_models()
        for field in model._meta.concrete_fields
        if field.is_relation and height[field.related_model._meta.app_label] < height[model._meta.app_label]
    ]
    assert len(crossing) > 5


def dependencies() -> Iterator[tuple[str, str]]:
    """``(app, app it needs)`` of every migration of ours."""
    for (label, _), migration in MigrationLoader(None).disk_migrations.items():
        if label in OURS:
            yield from ((label, needed[0]) for needed in migration.dependencies)
            # A later app that has to wait for it, which is the same arrow drawn from its other end.
            yield from ((later[0], label) for later in migration.run_before)


def test_migrations_need_only_what_lies_below() -> None:
    height = heights()
    found = set(dependencies())
    assert {(app, needed) for app, needed in found if height[needed] < height[app]}
    assert {(app, needed) for app, needed in found if height[needed] > height[app]} == set()
