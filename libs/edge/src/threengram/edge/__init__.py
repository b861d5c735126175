"""What the two processes that answer callers, `gateway` and `api`, have in common: settings and connections.

The one place where core meets the runtime, which don't know each other. Nothing here knows a transport.
"""
