# The image that our own agents run in, and a base for yours: a small Debian with Python, nothing else.
#
#     docker build -t mma-agent - < docker/agent.Dockerfile
#
# Where no registry is reachable, docker/base.sh makes the base: docker/base.sh mma-base, then --build-arg BASE=mma-base.
ARG BASE=debian:bookworm-slim
FROM ${BASE}
RUN command -v python3 >/dev/null \
    || { apt-get update && apt-get install -y --no-install-recommends python3-minimal libpython3-stdlib \
         && rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin; }
# The sandbox gives every container a user of its own; by hand, the image runs as nobody.
USER 65534:65534
WORKDIR /tmp
CMD ["python3"]
