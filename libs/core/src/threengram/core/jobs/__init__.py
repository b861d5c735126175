"""Background jobs: a row is the queue, the lease and the record of one run.

`job` says what a job is, `queue` puts runs in line and hands them out, `executor` carries out one attempt, `fan_out`
turns one run into one for each tenant, `schedule` keeps cadences, `runs` shows them to people, `figures` to machines.
"""
