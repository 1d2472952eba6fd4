"""Results of tools whose actions answer with different things."""

from typing import Any, cast

from pydantic import GetJsonSchemaHandler, SerializerFunctionWrapHandler, model_serializer
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from pawflow_web.lib.tools import Result


class Answered(Result):
    """A result that holds only what its action answers with: keys that were not set are not there at all, so that null
    keeps its meaning where it has one."""

    @model_serializer(mode="wrap")
    def _only_what_was_set(self, shown: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in shown(self).items() if name in self.model_fields_set}

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        # Of what a function returns nobody knows the shape; here it is the model's, in part.
        plain = {key: value for key, value in schema.items() if key != "serialization"}
        return handler(cast("CoreSchema", plain))
