"""`python -m threengram.embedder`."""

from threengram.embedder.app import build
from threengram.embedder.settings import Settings
from threengram.runtime import logging, server, telemetry

SERVICE = "embedder"


def main() -> None:
    """Serve until SIGTERM."""
    settings = Settings()
    logging.configure(SERVICE, settings)
    tracing = telemetry.configure(SERVICE, settings)
    app, health = build(settings)
    try:
        server.run(app, settings, service=SERVICE, health=health)
    finally:
        tracing.shutdown()


if __name__ == "__main__":
    main()
