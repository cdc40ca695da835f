"""Field types shared by the tables."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from django.db import models

if TYPE_CHECKING:
    _TextField = models.TextField[Any, Any]
else:
    _TextField = models.TextField


class JsonText(_TextField):
    """JSON kept as text, so that key order and number literals come back exactly as they were written.

    The protocol asks for byte-identical payloads on every surface (wire contract §8.1); a native JSON column would
    reorder keys on PostgreSQL and not on SQLite.
    """

    description = "JSON document kept as text"
    _pyi_private_set_type: Any
    _pyi_private_get_type: Any

    def from_db_value(self, value: str | None, expression: object, connection: object) -> Any:
        return None if value is None else json.loads(value)

    def to_python(self, value: Any) -> Any:
        return value

    def get_prep_value(self, value: Any) -> str | None:
        if value is None:
            return None
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))

    def value_to_string(self, obj: models.Model) -> str:
        return json.dumps(self.value_from_object(obj), ensure_ascii=False)
