"""MCP over Streamable HTTP: a strict, stateless OAuth resource server in front of core.

A request passes `http.edge` (method, Origin), `auth` (bearer), `http.rate` and `http.endpoint` (JSON envelope, protocol
era, scope floor); `dispatch` opens the call and runs one verb of core. `tools` is the published surface, one file a
tool. Nothing here decides what a memory is or who may see it: that is core's.
"""
