# One service as an image: `make images` builds them all, docs/operate/images.md says how to build one by hand.
#
# BASE_IMAGE needs Python 3.11 and nothing else, not even a shell; BUILD_IMAGE the same Python with venv, a shell and
# binutils. Where packages come from is never written here: give a pip configuration as the secret `pip`, and the
# certificates that it names as the secret `ca`.
ARG BASE_IMAGE=threengram/base
ARG BUILD_IMAGE=threengram/build

FROM ${BUILD_IMAGE} AS tools
COPY requirements/images.lock /work/requirements/
RUN --mount=type=secret,id=pip,target=/etc/pip.conf --mount=type=secret,id=ca,target=/run/secrets/ca \
    python3 -m venv /tools \
    && /tools/bin/pip install --quiet --no-cache-dir --no-compile --require-hashes --no-deps -r /work/requirements/images.lock

FROM tools AS closure
ARG SERVICE
COPY requirements/${SERVICE}.lock /work/requirements/
RUN --mount=type=secret,id=pip,target=/etc/pip.conf --mount=type=secret,id=ca,target=/run/secrets/ca \
    python3 -m venv --without-pip /venv \
    && /tools/bin/pip --python /venv/bin/python install --quiet --no-cache-dir --no-compile --only-binary=:all: \
        --require-hashes --no-deps -r /work/requirements/${SERVICE}.lock

FROM closure AS build
ARG SERVICE
ARG MEMBER=services/${SERVICE}
WORKDIR /work
COPY libs/schema libs/schema
COPY libs/core libs/core
COPY libs/runtime libs/runtime
COPY libs/edge libs/edge
COPY ${MEMBER} ${MEMBER}
# Without an index: a package that the lock lacks fails here, and only what the service needs is taken.
RUN PATH="/tools/bin:$PATH" && pip wheel --quiet --no-cache-dir --no-index --no-deps --no-build-isolation --wheel-dir /wheels \
        ./libs/schema ./libs/core ./libs/runtime ./libs/edge ./${MEMBER} \
    && pip --python /venv/bin/python install --quiet --no-cache-dir --no-compile --no-index \
        --find-links /wheels threengram-${SERVICE}
COPY images/finish.py images/finish.py
RUN /tools/bin/python images/finish.py ${SERVICE} /venv/lib/python3.*/site-packages /app

FROM ${BASE_IMAGE}
ARG SERVICE
ARG VERSION=0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="3ngram ${SERVICE}" \
      org.opencontainers.image.description="Long-term, typed memory for AI agents: the service ${SERVICE}" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /app /app
ENV PYTHONPATH=/app PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 HOME=/tmp
WORKDIR /tmp
USER 65532:65532
STOPSIGNAL SIGTERM
ENTRYPOINT ["python3", "/app"]
