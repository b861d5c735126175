"""What the commands share that use a memory: where it is, how an answer is shown, how a failure ends."""
