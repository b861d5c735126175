"""The gate of the published surface: does an agent that reads the descriptions choose the right tool?

Every tool has five utterances: what an agent needs, in words that name no tool, close to another tool on purpose. An
utterance and a description are compared by the bundled embedder, which knows the meaning of words and nothing of
tools, and by the product's own lexical analysis. What is measured may not fall below `evals/data/surface-floors.toml`;
what is published may not differ from `evals/data/surface.json` unless somebody regenerates it and reads the difference.
"""
