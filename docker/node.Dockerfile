# A node of the Ray cluster: this program and nothing else. Head and workers must be of one image, since a worker of
# another version is refused.
ARG BASE=python:3.11-slim-bookworm
FROM ${BASE}
WORKDIR /opt/mma
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY benchmark benchmark
COPY runner runner
COPY conf conf
COPY sweeps sweeps
RUN pip install --no-cache-dir -c constraints.txt '.[reference]' \
    && useradd --create-home --uid 10001 mma \
    && mkdir -p /mma/suites /mma/runs /scratch && chown -R mma /mma /scratch
USER mma
WORKDIR /mma
CMD ["mma", "--help"]
