"""The words a chat shows of the to-do list."""

from memory.models import TodoTask
from memory.todo.dependencies import PREFIX
from memory.todo.reading import TaskPage


def created(task: TodoTask) -> str:
    return f"Added: {line(task)}"


def updated(task: TodoTask) -> str:
    return f"Now: {line(task)}"


def deleted(task: TodoTask) -> str:
    return f"Deleted: {task.subject} {PREFIX}{task.ref}"


def cleared(number: int) -> str:
    return f"{number} completed {'task' if number == 1 else 'tasks'} deleted."


def whole(task: TodoTask) -> str:
    return f"{line(task)}\n{task.description}".rstrip()


def listed(page: TaskPage) -> str:
    shown = "\n".join(f"- {line(task)}" for task in page.tasks) or "No task."
    return shown if len(page.tasks) >= page.total else f"{shown}\n{len(page.tasks)} of {page.total}."


def line(task: TodoTask) -> str:
    return f"[{task.status}] {task.subject} {PREFIX}{task.ref}"
