#!/usr/bin/env python
"""Entry point of every command."""

import sys

from pawflow_web.launch import main

if __name__ == "__main__":
    sys.exit(main(sys.argv))
