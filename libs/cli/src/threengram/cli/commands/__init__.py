"""The commands of the console script, one file per group; `main` registers them."""
