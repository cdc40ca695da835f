"""``make bench``: prepare a database and an environment of its own, then measure in a process that reads them."""

from __future__ import annotations

import subprocess
import sys

from bench.server import prepare_environment

prepare_environment()
sys.exit(subprocess.run([sys.executable, "-m", "bench.measure"], check=False).returncode)
