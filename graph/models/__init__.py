"""Rows of the knowledge graph. The beliefs themselves are items of ``review``; a triple is the facet of one."""

from graph.models.entity import Entity, EntityName, EntityWord
from graph.models.merge import EntityMerge
from graph.models.triple import Triple
from graph.models.vocabulary import Vocabulary

__all__ = ["Entity", "EntityMerge", "EntityName", "EntityWord", "Triple", "Vocabulary"]
