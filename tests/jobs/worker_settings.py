"""Settings of a real worker process in a test: the test's database, and an app that adds drains to watch."""

import os

from pawflow_web.settings import *  # noqa: F403
from pawflow_web.settings import DATABASES, INSTALLED_APPS

DATABASES["default"]["NAME"] = os.environ["PROBE_DATABASE"]
INSTALLED_APPS += ["tests.jobs.probe"]
