"""Text as the product compares, searches and shows it. Pure functions over ``str``, no state, no language setting.

Three forms, each for one purpose: :func:`clean` is what is stored, :func:`fold` is what "the same words" means
for duplicates and tombstones, :func:`analyse` is what search compares.
"""

from pawflow_web.lib.text.disguises import ENTITY, entity, latin
from pawflow_web.lib.text.excerpts import excerpt, spans
from pawflow_web.lib.text.folding import fold
from pawflow_web.lib.text.stored import clean, is_blank, whole
from pawflow_web.lib.text.tokens import TOKEN_LIMIT, Tokens, analyse
from pawflow_web.lib.text.views import View, plain, plain_view

__all__ = [
    "ENTITY",
    "TOKEN_LIMIT",
    "Tokens",
    "View",
    "analyse",
    "clean",
    "entity",
    "excerpt",
    "fold",
    "is_blank",
    "latin",
    "plain",
    "plain_view",
    "spans",
    "whole",
]
