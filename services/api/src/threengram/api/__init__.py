"""REST for programs: the `api` service, in front of core.

A request passes `gates` in a fixed order: credential (`auth`), rate limits (`rate`), body, scope, arguments. Then
one verb of core runs in one call, and its answer is checked before it is sent. `operations` is the published surface,
one record an operation; `failures` turns whatever goes wrong into the one error body; `openapi` describes it all.
Nothing here decides what a memory is or who may see it: that is core's.
"""
