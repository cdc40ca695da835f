"""The official JSON Schema test suite is not ours: it is run where ``JSON_SCHEMA_TEST_SUITE`` says that a copy is."""

from __future__ import annotations

import os

collect_ignore = [] if os.environ.get("JSON_SCHEMA_TEST_SUITE") else ["test_official_suite.py"]
