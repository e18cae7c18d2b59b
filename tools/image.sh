#!/bin/sh
# Builds the container image that Dockerfile describes, with docker, podman or buildah, and says what is in it. It
# downloads the images that it begins with and Go's modules.
set -eu
cd "$(dirname "$0")/.."
if command -v docker >/dev/null && docker info >/dev/null 2>&1; then
	docker build -t parley . && docker run --rm parley version
elif command -v podman >/dev/null; then
	podman build -t parley . && podman run --rm parley version
elif command -v buildah >/dev/null; then
	buildah build -t parley .
	container=$(buildah from --pull-never parley) && trap 'buildah rm "$container" >/dev/null' EXIT
	buildah run "$container" -- parley version
else
	echo "image: left out: there is neither a docker daemon nor podman nor buildah here" >&2
fi
