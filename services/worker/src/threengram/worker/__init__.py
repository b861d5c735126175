"""Background work: Celery rings and schedules, rows are the queue, and each task is one call into core."""
