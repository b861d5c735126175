"""Dashboards: written in `charts/dashboards`, generated for Grafana, and proven against a real Prometheus."""
