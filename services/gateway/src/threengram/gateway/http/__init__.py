"""The wire: HTTP headers, JSON-RPC envelopes and protocol eras, down to a method with its parameters."""
