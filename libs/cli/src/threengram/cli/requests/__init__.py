"""What a running stack is asked through its control socket about its database, one module a subject."""
