"""The server's instructions: the jobs that the tools do, compressed. A client puts them in front of the model.

They compete with the tool descriptions for attention, so they hold policy only and name no tool that does not exist.
"""

INSTRUCTIONS = """\
This is the user's long-term memory across sessions, tools and agents.
Begin a task with search for what it touches, and search before claiming that something is unknown; use order \
"chronological" with a filter when a complete list matters, and get_memories for a hit that is truncated.
Memory is append-only: revise what is wrong or has changed, resolve what is settled; older beliefs stay readable \
with asOf.
Use remember for what a later session needs: decisions with their reasons, commitments, blockers, preferences, \
lasting facts. Not transcript noise, restatements, secrets, or what the code already says. One atom per call, \
complete in itself; split long debriefs.
Set scope and project on writes and reads: a memory without its project is missing from that project.
Put measurable claims into facts on the same call: text value, unit in the predicate, one measure per fact; get_facts \
reads them back, as a series too.\
"""
