"""The `threengram` console script: the top layer, which nothing imports.

`main` registers the commands, one file per group. `up` runs the whole product on one machine: `supervisor` keeps
`child` processes alive, `embedded_postgres` and `embedded_valkey` say how the two databases are started, `sockets`
owns the listening sockets and `layout` says where everything lies in the data directory.
"""
