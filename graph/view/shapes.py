"""What the view is given to draw."""

from dataclasses import dataclass
from typing import Literal

# solid, dashed and dotted say how far a line may be trusted; faded that it holds no longer
Style = Literal["solid", "dashed", "dotted", "faded"]


@dataclass(frozen=True, slots=True)
class Node:
    """``told`` is all that is said of it beside its label. ``plain``: it is a value and no place to go on from."""

    id: str
    label: str
    url: str
    told: str = ""
    plain: bool = False

    @property
    def title(self) -> str:
        return f"{self.label}, {self.told}" if self.told else self.label


@dataclass(frozen=True, slots=True)
class Edge:
    """``url`` leads to what is known of the line itself; ``told`` is that in a few words."""

    start: str
    end: str
    label: str
    style: Style = "solid"
    url: str = ""
    told: str = ""
