"""The one door for everything this host sends out (wire contract §19)."""

from __future__ import annotations

from interrupts.services.egress.door import Door, from_settings
from interrupts.services.egress.faults import EgressFailed, EgressRefused
from interrupts.services.egress.sending import Limits, Reply

__all__ = ["Door", "EgressFailed", "EgressRefused", "Limits", "Reply", "from_settings"]
