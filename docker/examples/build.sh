#!/usr/bin/env bash
# Builds an example agent with wheels that the host fetches, so that the build itself needs no network.
#
#     docker/examples/build.sh NAME [TAG] [BASE]      e.g. docker/examples/build.sh pydantic_ai pydantic-ai-agent mma-agent
#
# BASE (mma-agent by default) is an image with Python. PYTHON (python3) is the host's Python whose pip fetches them.
set -euo pipefail
cd "$(dirname "$0")/${1:?give the name of an example, a folder beside this file}"
tag="${2:-${1//_/-}-agent}"
base="${3:-mma-agent}"
version="$(docker run --rm --network none --entrypoint python3 "$base" -c 'import sys; print("%d.%d" % sys.version_info[:2])')"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cp -r . "$work/context"
"${PYTHON:-python3}" -m pip download -qq --disable-pip-version-check --only-binary :all: --implementation cp \
    --python-version "$version" --platform "manylinux_2_28_$(uname -m)" --platform "manylinux2014_$(uname -m)" \
    --dest "$work/context/wheels" -r requirements.txt pip
docker build -q --network none -t "$tag" --build-arg "BASE=$base" "$work/context" >/dev/null
echo "$tag: sandbox=docker harness=container harness.image=$tag"
