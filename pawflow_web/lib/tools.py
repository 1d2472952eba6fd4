"""The registry of tools: one typed function is a REST route, an MCP tool and a slash command.

``@tool(...)`` reads everything from the function: its signature is the schema, its docstring the description,
its return type the result. What is missing (a description of a parameter, an annotation) stops the start.
"""

import inspect
import keyword
import math
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, Protocol, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, create_model
from pydantic_core import PydanticCustomError

from pawflow_web.lib.actions import Action, require_fitting, require_known, told
from pawflow_web.lib.actions import Effect as Effect
from pawflow_web.lib.errors import Invalid, NotFound
from pawflow_web.lib.followers import follow_up
from pawflow_web.lib.registry import Registry

Surface = Literal["rest", "mcp", "chat", "panel"]

_STRENGTH = list(Effect)


class Caller(Protocol):
    """What the registry needs to know of a call: whether it may."""

    def require(self, ability: str) -> None: ...


class Result(BaseModel):
    """Base of every tool's result. ``display`` is what a chat shows; it is not a stable text."""

    model_config = ConfigDict(extra="forbid")

    display: str = Field(description="what a chat shows")


@dataclass(frozen=True, slots=True)
class Tool:
    name: str
    family: str
    # One effect, or one per value of the parameter ``action``.
    effects: Mapping[str, Effect]
    description: str
    params: type[BaseModel]
    result: type[BaseModel]
    function: Callable[..., BaseModel]
    core: bool
    slash: str | None
    # What each value of ``action`` takes; empty for a tool without that parameter.
    actions: Mapping[str, Action] = field(default_factory=dict)
    # Other spellings of parameters.
    aliases: Mapping[str, str] = field(default_factory=dict)

    @property
    def effect(self) -> Effect:
        """The strongest of its effects."""
        return max(self.effects.values(), key=_STRENGTH.index)

    def run(self, call: Caller, arguments: Mapping[str, Any]) -> BaseModel:
        """Check the ability, then the arguments, then do it: who may not is told nothing else.

        Raises:
            NotAllowed: the caller lacks the ability.
            Invalid: naming each parameter that is wrong.
            DomainError: whatever the service answers.
        """
        effect = self._effect_of(arguments)
        call.require(effect.ability)
        checked = self.check(arguments)
        given = {_in_python(name): getattr(checked, name) for name in type(checked).model_fields}
        result = self.function(call, **given)
        if effect is not Effect.READ:
            follow_up(call)
        return result

    def _effect_of(self, arguments: Mapping[str, Any]) -> Effect:
        """Of the action that is asked for; the weakest for one that does not exist, which the check refuses."""
        if len(self.effects) == 1:
            return self.effect
        action = arguments.get("action", self.params.model_fields["action"].default)
        known = self.effects.get(action) if isinstance(action, str) else None
        return known or min(self.effects.values(), key=_STRENGTH.index)

    def check(self, arguments: Mapping[str, Any]) -> BaseModel:
        arguments = self._spelled(arguments)
        try:
            checked = self.params.model_validate(dict(arguments))
        except ValidationError as error:
            raise invalid_from(error, known=list(self.params.model_fields)) from None
        if self.actions:
            # null is what a client sends for a parameter that it leaves out
            given = [name for name in arguments if getattr(checked, name) is not None]
            require_fitting(self.actions, getattr(checked, "action"), given)  # noqa: B009 - not every tool has it
        return checked

    def _spelled(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """The arguments by the names of the parameters. Raises :class:`Invalid` for one that is given twice."""
        twice = [name for name, one in self.aliases.items() if name in arguments and one in arguments]
        if twice:
            raise Invalid(
                f"{twice[0]} is {self.aliases[twice[0]]}: give one of them.", fields={twice[0]: "is given twice"}
            )
        return {self.aliases.get(name, name): value for name, value in arguments.items()}

    def input_schema(self) -> dict[str, Any]:
        return self.params.model_json_schema()

    def output_schema(self) -> dict[str, Any]:
        return self.result.model_json_schema(mode="serialization")


class ToolRegistry(Registry[Tool]):
    def get(self, name: str) -> Tool:
        """Raises :class:`NotFound` for a name that is not registered."""
        found = self.find(name)
        if found is None:
            raise self.unknown(name)
        return found

    def unknown(self, name: str) -> NotFound:
        """The one answer for a tool that does not exist and for one that is not for this caller."""
        return NotFound(f"There is no tool called {ascii(name)[:100]}.")

    def listed(self, *, core_only: bool = False) -> list[Tool]:
        """In the order of family and name."""
        return sorted((t for t in self.all() if t.core or not core_only), key=lambda t: (t.family, t.name))


registry = ToolRegistry("tool")


Function = TypeVar("Function", bound=Callable[..., BaseModel])


def tool(
    name: str,
    *,
    family: str,
    effect: Effect | Mapping[str, Action],
    core: bool = False,
    slash: str | None = None,
    camel: bool = False,
) -> Callable[[Function], Function]:
    """Register a function as a tool.

    Its first parameter is the call (hidden from callers); every other one needs an annotation with a
    described :func:`pydantic.Field`; one called ``from_`` is ``from`` to callers. READ tools and those with a READ
    action are in the core set by themselves, ``core`` adds others. Raises :class:`TypeError` at import for anything
    incomplete.

    Args:
        effect: what it does; where its parameter ``action`` decides, what each value of that does and takes.
        camel: its parameters are spelled ``likeThis``, and taken ``like_this`` as well.
    """

    def register(function: Function) -> Function:
        actions = {} if isinstance(effect, Effect) else dict(effect)
        effects = {"": effect} if isinstance(effect, Effect) else {name: one.effect for name, one in effect.items()}
        description = inspect.cleandoc(function.__doc__ or "")
        if not description:
            raise TypeError(f"the tool {name} has no description")
        if actions:
            description = f"{description}\n\n{told(actions)}"
        hints = typing.get_type_hints(function, include_extras=True)
        params = _params_of(name, function, hints)
        require_known(actions, params.model_fields)
        registry.add(
            name,
            Tool(
                name=name,
                family=family,
                effects=effects,
                description=description,
                params=params,
                result=hints["return"],
                function=function,
                core=core or Effect.READ in effects.values(),
                slash=slash,
                actions=actions,
                aliases={snake: one for one in params.model_fields if (snake := _snake(one)) != one} if camel else {},
            ),
        )
        return function

    return register


def invalid_from(error: ValidationError, *, known: Sequence[str]) -> Invalid:
    """pydantic's findings as one :class:`Invalid` with a sentence per dotted parameter."""
    return invalid_of(error.errors(include_url=False, include_context=True, include_input=False), known=known)


def invalid_of(findings: Iterable[Mapping[str, Any]], *, known: Sequence[str]) -> Invalid:
    """The same from a list of pydantic's findings, each with ``loc``, ``type``, ``msg`` and ``ctx``."""
    fields: dict[str, object] = {}
    for finding in findings:
        # Branches of a union stand in the path as type names; a parameter's own path has no spaces or brackets.
        path = ".".join(str(part) for part in finding["loc"] if "[" not in str(part) and "-" not in str(part))
        fields.setdefault(path or "body", _sentence(finding["type"], finding.get("ctx") or {}, finding["msg"], known))
    first = next(iter(fields))
    return Invalid(
        f"{shown_name(first)} {fields[first]}.",
        fields={shown_name(key): value for key, value in fields.items()},
    )


def shown_name(name: str) -> str:
    """A key as it came, safe to repeat in an error: escaped and cut when it is anything but plain."""
    return name if name.isascii() and name.isprintable() and len(name) <= 120 else ascii(name)[1:-1][:120]


_SENTENCES: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "missing": lambda _: "is required",
    "greater_than_equal": lambda ctx: f"must be at least {ctx['ge']}",
    "greater_than": lambda ctx: f"must be more than {ctx['gt']}",
    "less_than_equal": lambda ctx: f"must be at most {ctx['le']}",
    "less_than": lambda ctx: f"must be less than {ctx['lt']}",
    "string_too_short": lambda ctx: f"must have at least {ctx['min_length']} characters",
    "string_too_long": lambda ctx: f"must have at most {ctx['max_length']} characters",
    "too_long": lambda ctx: f"must have at most {ctx['max_length']} entries",
    "too_short": lambda ctx: f"must have at least {ctx['min_length']} entries",
    "literal_error": lambda ctx: f"must be one of {ctx['expected'].replace(' or ', ', ')}".replace("'", ""),
    "enum": lambda ctx: f"must be one of {ctx['expected'].replace(' or ', ', ')}".replace("'", ""),
    "string_type": lambda _: "must be a string",
    "list_type": lambda _: "must be a list",
    "bool_type": lambda _: "must be true or false",
    "dict_type": lambda _: "must be an object",
    "int_type": lambda _: "must be a whole number",
    "int_parsing": lambda _: "must be a whole number",
    "int_from_float": lambda _: "must be a whole number",
    "float_type": lambda _: "must be a finite number",
    "float_parsing": lambda _: "must be a finite number",
    "finite_number": lambda _: "must be a finite number",
    "bool_parsing": lambda _: "must be true or false",
    "string_pattern_mismatch": lambda ctx: f"must match {ctx['pattern']}",
}


def _sentence(kind: str, context: Mapping[str, Any], message: str, known: Sequence[str]) -> str:
    if kind == "extra_forbidden":
        return f"is not a parameter; the parameters are {', '.join(known) or 'none'}"
    build = _SENTENCES.get(kind)
    return build(context) if build else message[:1].lower() + message[1:]


# --- from a signature to a model ------------------------------------------------------------------------------


def _params_of(name: str, function: Callable[..., Any], hints: Mapping[str, Any]) -> type[BaseModel]:
    fields: dict[str, Any] = {}
    parameters = list(inspect.signature(function).parameters.values())
    for parameter in parameters[1:]:
        if parameter.name not in hints:
            raise TypeError(f"the tool {name} does not annotate {parameter.name}")
        annotation = hints[parameter.name]
        if not _is_described(annotation):
            raise TypeError(f"the tool {name} does not describe {parameter.name}")
        default = ... if parameter.default is inspect.Parameter.empty else parameter.default
        fields[_to_callers(parameter.name)] = (harden(annotation), default)
    model: type[BaseModel] = create_model(
        "".join(part.title() for part in name.split("_")) + "Params",
        __config__=ConfigDict(extra="forbid", populate_by_name=False),
        **fields,
    )
    return model


def _snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


def _to_callers(name: str) -> str:
    """A word that Python keeps for itself has an underscore behind it in a signature."""
    word = name.removesuffix("_")
    return word if keyword.iskeyword(word) else name


def _in_python(name: str) -> str:
    return f"{name}_" if keyword.iskeyword(name) else name


def _is_described(annotation: Any) -> bool:
    infos = [meta for meta in get_args(annotation)[1:] if hasattr(meta, "description")]
    return get_origin(annotation) is Annotated and any(info.description for info in infos)


def harden(annotation: Any) -> Any:
    """The annotation with our strictness, recursively.

    ``"50"`` and ``50.0`` are 50; ``true``, NaN and 1.5 are not integers; only true and false are booleans. The
    validator stands *last*, or pydantic writes its own words into the schema instead of minimum and maximum.
    """
    if get_origin(annotation) is Annotated:
        base, *meta = get_args(annotation)
        return Annotated[(_harden_inside(base), *meta, *_validators(base))]
    validators = _validators(annotation)
    inner = _harden_inside(annotation)
    return Annotated[(inner, *validators)] if validators else inner


def _harden_inside(base: Any) -> Any:
    if get_origin(base) is list:
        return list[harden(get_args(base)[0])]  # type: ignore[misc]
    if get_origin(base) in (Union, types.UnionType):
        return Union[tuple(_harden_inside(part) for part in get_args(base))]  # noqa: UP007 - built at run time
    return base


def _validators(base: Any) -> tuple[BeforeValidator, ...]:
    parts = get_args(base) if get_origin(base) in (Union, types.UnionType) else (base,)
    kinds = {part for part in parts if isinstance(part, type)} - {type(None)}
    if kinds == {int}:
        return (WHOLE_NUMBER,)
    if kinds == {float}:
        return (BeforeValidator(_number),)
    if kinds == {bool}:
        return (BeforeValidator(_boolean),)
    if kinds == {str, float}:
        return (BeforeValidator(_text_or_number),)
    return ()


def _whole_number(value: Any) -> Any:
    if value is None:
        return None
    if isinstance(value, str) and len(value) <= 20 and value.strip().lstrip("+-").isascii():
        value = _parsed(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value or value in _INFINITIES:
        raise PydanticCustomError("whole_number", "must be a whole number")
    if isinstance(value, float) and not value.is_integer():
        raise PydanticCustomError("whole_number", "must be a whole number")
    return int(value)


_INFINITIES = (math.inf, -math.inf)
# For models written by hand; stands last, as in ``harden``.
WHOLE_NUMBER = BeforeValidator(_whole_number)


def _parsed(text: str) -> object:
    try:
        return int(text)
    except ValueError:
        try:
            return float(text)
        except ValueError:
            return text


def _number(value: Any) -> Any:
    if value is None:
        return None
    if isinstance(value, str) and len(value) <= 40:
        value = _parsed(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise PydanticCustomError("number", "must be a finite number")
    return _finite(value)


def _boolean(value: Any) -> Any:
    if value is None or isinstance(value, bool):
        return value
    raise PydanticCustomError("boolean", "must be true or false")


def _text_or_number(value: Any) -> Any:
    if isinstance(value, bool) or (isinstance(value, float) and not math.isfinite(value)):
        raise PydanticCustomError("text_or_number", "must be a text or a finite number")
    return _finite(value) if isinstance(value, int) else value


def _finite(value: float) -> float:
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise PydanticCustomError("number", "must be a finite number")
    return number
