"""A form as plain values for its templates: every word, name and id that they draw."""
