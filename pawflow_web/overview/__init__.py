"""``/``: can it be trusted, what needs the person, what happened. Composed of what the apps below know."""
