"""How a process behaves: settings, logs, telemetry, health, limits, outbound HTTP. No domain rule lives here."""
