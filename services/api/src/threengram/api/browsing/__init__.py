"""Pages on which a person finds, reads and corrects memories."""
