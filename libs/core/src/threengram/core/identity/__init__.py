"""Who may come in: access tokens and their keys, admission in the first round trip, the first tenant of a machine."""
