#!/usr/bin/env bash
# Makes a base image with debootstrap, for machines that reach Debian's packages but no image registry.
#
#     docker/base.sh [TAG] [PACKAGE...]        e.g. docker/base.sh mma-base python3-minimal libpython3-stdlib
#
# TAG is mma-base by default. The packages are installed beside Debian's smallest set; with those of the example, an
# agent image can be built on it without network. SUITE (bookworm) and MIRROR (debootstrap's own) may be set. Needs
# root, debootstrap and a running engine.
set -euo pipefail

tag="${1:-mma-base}"
shift || true
packages="$(IFS=,; echo "$*")"
[ "$(id -u)" = 0 ] || { echo "base.sh: debootstrap needs root" >&2; exit 2; }
command -v debootstrap >/dev/null || { echo "base.sh: debootstrap is missing; apt-get install debootstrap" >&2; exit 2; }
docker version >/dev/null 2>&1 || { echo "base.sh: no container engine answers; start Docker, or set DOCKER_HOST" >&2; exit 2; }

work="$(mktemp -d)"
trap 'rm -rf --one-file-system "$work"' EXIT
log="$work/log"
debootstrap --variant=minbase ${packages:+--include="$packages"} "${SUITE:-bookworm}" "$work/root" ${MIRROR:+"$MIRROR"} \
    >"$log" 2>&1 || { tail -5 "$log" >&2; echo "base.sh: debootstrap failed" >&2; exit 1; }
# What the slim images of registries leave out as well; where packages came from is no business of an image either.
rm -rf "$work"/root/var/cache/apt/* "$work"/root/var/lib/apt/lists/* "$work"/root/var/log/* "$work"/root/tmp/* \
    "$work"/root/usr/share/{doc,man,info,locale}/*
tar -C "$work/root" -c . | docker import --change 'CMD ["bash"]' - "$tag" >/dev/null
echo "$tag: $(docker image inspect --format '{{.Size}}' "$tag" | awk '{printf "%.0f MB", $1 / 1e6}')"
