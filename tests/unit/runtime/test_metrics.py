"""Closed labels."""

import pytest

from threengram.runtime import metrics


def test_unknown_label_values_become_other_and_absent_ones_empty() -> None:
    assert metrics.closed("tools/call", metrics.MCP_METHODS) == "tools/call"
    assert metrics.closed("tools/canary", metrics.MCP_METHODS) == "other"
    assert metrics.closed(None, metrics.MCP_METHODS) == ""


@pytest.mark.parametrize(("status", "label"), [(204, "2xx"), (404, "4xx"), (599, "5xx"), (0, "other"), (700, "other")])
def test_a_status_is_labelled_by_its_class(status: int, label: str) -> None:
    assert metrics.status_class(status) == label


def test_the_registry_renders_process_and_product_series() -> None:
    metrics.set_build_info("runtime")
    text = metrics.render().decode()

    assert 'threengram_build_info{python="' in text
    assert "process_resident_memory_bytes" in text
    assert "# TYPE mcp_server_operation_duration_seconds histogram" in text
