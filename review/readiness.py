"""What ``/ready`` asks of this app."""

import os
from pathlib import Path

from django.conf import settings

from pawflow_web.web.health import readiness


@readiness.register("index")
def index_can_be_kept() -> bool:
    """Whether this node can keep search indexes. One that is being built is no reason to turn callers away:
    answers come from the database meanwhile and say what they cover."""
    folder = Path(settings.ENV.search_dir)
    nearest = folder if folder.exists() else folder.parent
    return os.access(nearest, os.R_OK | os.W_OK | os.X_OK)
