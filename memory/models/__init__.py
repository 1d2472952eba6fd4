from memory.models.diary import Diary, DiaryEntry, DiaryFlag, DiaryType
from memory.models.frozen import FrozenBlock
from memory.models.note import Category, Durability, Importance, Memory
from memory.models.scratch import ScratchNote
from memory.models.todo import TaskStatus, TodoDependency, TodoTask

__all__ = [
    "Category",
    "Diary",
    "DiaryEntry",
    "DiaryFlag",
    "DiaryType",
    "Durability",
    "FrozenBlock",
    "Importance",
    "Memory",
    "ScratchNote",
    "TaskStatus",
    "TodoDependency",
    "TodoTask",
]
