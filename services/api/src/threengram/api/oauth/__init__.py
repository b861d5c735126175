"""The authorization server over HTTP: parse, count, call one verb of `core.oauth`, answer in the protocol's words."""
