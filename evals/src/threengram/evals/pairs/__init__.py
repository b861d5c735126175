"""The gate of consolidation: labelled pairs of memories, and what the rules make of them."""
