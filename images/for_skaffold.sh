#!/usr/bin/env bash
# Build one image under the name that Skaffold asks for (IMAGE), and push it where it says so (PUSH_IMAGE).
set -euo pipefail
cd "$(dirname "$0")/.."
python=.venv/bin/python
"$python" -m images.build "$1"
docker tag "$("$python" -c 'import sys; from images.build import tag; print(tag(sys.argv[1]))' "$1")" "$IMAGE"
if [ "${PUSH_IMAGE:-false}" = true ]; then
    docker push "$IMAGE"
fi
