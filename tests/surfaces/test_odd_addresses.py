"""Addresses and arguments that no client of ours writes: control characters, bytes that are no text, enormous parts."""

import pytest

from pawflow_web.lib.tools import registry
from tests.surfaces.conftest import Rest
from tests.surfaces.examples import EXAMPLES
from tests.surfaces.test_strangers import ROUTES, WITH_PARAMETERS, Route

ODD = {
    "nul": "a%00b",
    "nul behind a number": "%2342%00",
    "no UTF-8": "%ff%fe",
    "a surrogate": "%ed%a0%80",
    "an escape": "%1b%5b2J",
    "long": "a" * 5000,
    "a digit of another script": "%23%d9%a3",
    "a number past every row": "%2399999999999999999999",
}


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("route", WITH_PARAMETERS, ids=str)
def test_no_part_of_a_path_breaks_a_route(person: Rest, route: Route, odd: str) -> None:
    reply = person.send(route.method, route.filled(ODD[odd]), route.body("0123456789ab"))
    assert reply.status in {400, 404, 422}, reply.body


@pytest.mark.parametrize(
    "name",
    ["conversation", "project", "limit", "cursor", "query", "q", "ref", "agent", "as_of", "status", "nobody_knows_me"],
)
@pytest.mark.parametrize(
    "route", [route for route in ROUTES if route.method == "GET" and not route.parameters], ids=str
)
def test_no_parameter_of_a_list_breaks_it(person: Rest, route: Route, name: str) -> None:
    for odd in ODD.values():
        reply = person.get(f"{route.path}?{name}={odd}")
        assert reply.status in {200, 400, 404, 422, 503}, (name, odd, reply.body)


ODD_WORDS = ["a\x00b", "\x00", "#42\x00", "\x1b[2J", "\u202eabc", "a" * 50_000, "\ufffe", "٣٤٥", "#" + "9" * 30]


@pytest.mark.parametrize("name", registry.names())
def test_no_words_in_any_parameter_break_a_tool(agent: Rest, name: str) -> None:
    arguments = EXAMPLES[name](agent)
    properties = registry.get(name).input_schema()["properties"]
    for key in [key for key, schema in properties.items() if "string" in str(schema)]:
        for odd in ODD_WORDS:
            given = {**arguments, key: [odd] if "array" in str(properties[key]) else odd}
            reply = agent.post(f"/tools/{name}", given)
            assert reply.status in {200, 400, 404, 409, 422, 503}, (key, odd[:20], reply.body)
