"""What may happen to a memory that exists already: its lock, the versions of its lifetime, its events, its return.

Below facts, commitments and the verbs on memories, which all change lifetimes and never write a row of theirs alone.
"""
