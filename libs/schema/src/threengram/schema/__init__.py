"""What crosses a process boundary: inputs, outputs, limits, enums and error codes.

Reading order: `bounds` (every limit with its unit), `enums`, `text` and `instants` (the two scalar types that carry
rules), `base` (`Input` is closed, `Output` is checked strictly), then one module per part of the surface: `memories`,
`search`, `environment`, `embedding`. `errors` holds the one list of machine-readable codes and the translation of a
validation failure into field paths; `advertise` turns models into the JSON schemas that clients see; `reading` is how a
client takes an answer, and `retry_after` how long it is asked to wait.

This package imports pydantic and nothing else.
"""
