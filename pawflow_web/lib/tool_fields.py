"""Parameters that the tools of many lists take."""

from typing import Annotated

from pydantic import Field

CURSOR_MOST = 20_000

HowMany = Annotated[int, Field(ge=1, le=100, description="how many at the most")]
Cursor = Annotated[str | None, Field(max_length=CURSOR_MOST, description="next from the page before")]
