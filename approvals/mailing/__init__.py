"""Mail to approvers: what it says, and how it is sent."""
