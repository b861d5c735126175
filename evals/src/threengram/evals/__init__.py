"""Judgement of behaviour rather than of code: what each gate blocks, and what things cost."""
