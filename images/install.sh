#!/usr/bin/env bash
# Brings what images are built with, from Debian, unless it is there: a Docker engine and mmdebstrap; Compose too with
# the argument `compose`. Needs root, or sudo without a password, only if something is missing.
set -euo pipefail

missing=()
command -v dockerd >/dev/null || docker version >/dev/null 2>&1 || missing+=(docker.io)
command -v mmdebstrap >/dev/null || missing+=(mmdebstrap)
if [ "${1:-}" = compose ]; then
    docker compose version >/dev/null 2>&1 || command -v docker-compose >/dev/null || missing+=(docker-compose)
fi
[ "${#missing[@]}" -gt 0 ] || exit 0

as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo -n)
install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet --no-install-recommends)
"${install[@]}" "${missing[@]}" || { "${as_root[@]}" apt-get update --quiet && "${install[@]}" "${missing[@]}"; }
