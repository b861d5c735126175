"""Facts: measurable claims with a validity, one generation after the other for each subject and predicate."""
