"""Prints a digest of every precomputed catalogue of the product: one run of it is one start of a process."""

import hashlib

import anyio
import orjson

from tests.contract.mcp.stack import Stack
from threengram.gateway.build import build_server_of
from threengram.gateway.catalogue import precomputed
from threengram.gateway.tools import TOOLS

stack = Stack(tools=TOOLS)
server, _ = build_server_of(stack.collaborators(), stack.limits)
catalogue = anyio.run(precomputed, server)
listed = [(method, version, orjson.dumps(body)) for (method, version), body in catalogue.items()]
print(hashlib.sha256(repr(listed).encode()).hexdigest())
