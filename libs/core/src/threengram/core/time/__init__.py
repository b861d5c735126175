"""Two axes of time: when something was true, and when it went on record. Below every part that reads or writes."""
