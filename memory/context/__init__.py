from memory.context.build import Context, build_context

__all__ = ["Context", "build_context"]
