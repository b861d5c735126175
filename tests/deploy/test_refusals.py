"""What the chart refuses, and the words in which it says why."""

import re
from functools import cache
from typing import Any

import helm_python as helm
import pytest

from tests.deploy.rendering import CHART, KEYS, merged, nested, render, values_of

pytestmark = pytest.mark.xdist_group("deploy")

EXTERNAL = values_of("external")
STORE = {"destinationPath": "s3://bucket/one"}
ROUTE = {"enabled": True, "parentRefs": [{"name": "public"}]}
ONE_NAME = nested("urls", {"gateway": "https://memory.example.com", "api": "https://memory.example.com"})

REFUSALS: list[tuple[str, dict[str, Any], str]] = [
    ("no scheme", nested("urls.gateway", "memory.example.com"), "it has to be an origin"),
    ("a path", nested("urls.api", "https://example.com/memory"), "give the origin only"),
    ("plain http", nested("urls.gateway", "http://memory.example.com"), "agents accept that on loopback only"),
    (
        "no secret of the database",
        merged(EXTERNAL, nested("externalDatabase.existingSecret", "")),
        "needs externalDatabase.existingSecret",
    ),
    (
        "no way to the database",
        merged(EXTERNAL, nested("externalDatabase.egress", [])),
        "needs externalDatabase.egress",
    ),
    (
        "a backup of what is elsewhere",
        merged(EXTERNAL, nested("database.backup.enabled", True)),
        "back up the external",
    ),
    (
        "the external role retired",
        merged(EXTERNAL, nested("externalDatabase.retiredRoles", ["threengram_runtime"])),
        "externalDatabase.retiredRoles names threengram_runtime",
    ),
    ("one role for both", nested("database.roles.owner.name", "threengram_runtime"), "are one role"),
    ("retiring the role in use", nested("database.roles.retiring", "threengram_runtime"), "name the former role"),
    ("retired and in use", nested("database.roles.retired", ["threengram_owner"]), "which is still in use"),
    ("a backup to nowhere", nested("database.backup.enabled", True), "database.backup.objectStore.destinationPath"),
    ("a recovery from nowhere", nested("database.recovery.enabled", True), "where the backups are"),
    (
        "archiving over the origin",
        merged(
            nested("database.backup", {"enabled": True, "objectStore": STORE}),
            nested("database.recovery", {"enabled": True, "objectStore": STORE}),
        ),
        "would archive over the backups",
    ),
    (
        "a backup store out of reach",
        merged(
            nested("database.backup", {"enabled": True, "objectStore": STORE}),
            nested("networkPolicy.kubernetesApi", ["10.0.0.1/32"]),
        ),
        "database.backup.enabled needs database.egress",
    ),
    (
        "no secret of redis",
        merged(EXTERNAL, nested("externalRedis.existingSecret", "")),
        "needs externalRedis.existingSecret",
    ),
    ("no way to redis", merged(EXTERNAL, nested("externalRedis.egress", [])), "needs externalRedis.egress"),
    (
        "a queue without worker",
        nested("workerDefaults.queues", ["embed", "maintenance"]),
        "no worker works off the queue consolidate",
    ),
    ("more than most", nested("gateway.autoscaling.minReplicas", 11), "minReplicas is above its maxReplicas"),
    (
        "zero without keda",
        nested("cimd.autoscaling", {"type": "hpa", "minReplicas": 0}),
        "can't scale to zero; use type keda",
    ),
    ("keda without prometheus", nested("api.autoscaling.type", "keda"), "needs monitoring.prometheusUrl"),
    ("an ingress for loopback", nested("gateway.ingress.enabled", True), "gateway.ingress.enabled needs a public name"),
    (
        "a route without gateway",
        merged(nested("api.httpRoute.enabled", True), nested("urls.api", "https://id.example.com")),
        "needs api.httpRoute.parentRefs",
    ),
    (
        "a route for loopback",
        nested("api.httpRoute", {"enabled": True, "parentRefs": [{"name": "public"}]}),
        "api.httpRoute.enabled needs a public name",
    ),
    (
        "one name for two ingresses",
        merged(EXTERNAL, nested("urls.api", "https://memory.example.com")),
        "the Ingresses of gateway and api are both for memory.example.com",
    ),
    (
        "one name for two routes",
        merged(ONE_NAME, nested("gateway.httpRoute", ROUTE), nested("api.httpRoute", ROUTE)),
        "the HTTPRoutes of gateway and api are both for memory.example.com",
    ),
    (
        "other passwords with each rendering",
        nested("migrations.nameBy", "content"),
        "Give existingSecret in secrets.cursorKey, database.roles.owner, database.roles.runtime, valkey.",
    ),
    (
        "a variable of the chart's",
        nested("workers.default.pod.extraEnv", [{"name": "THREENGRAM_WORKER_DATABASE_URL", "value": "x"}]),
        "workers.default.pod.extraEnv sets THREENGRAM_WORKER_DATABASE_URL",
    ),
]


@cache
def said(case: int) -> str:
    """What the chart says against a case; empty when it has nothing against it."""
    try:
        render(merged(KEYS, REFUSALS[case][1]))
    except helm.HelmError as refused:
        return str(refused)
    return ""


@pytest.mark.parametrize("case", range(len(REFUSALS)), ids=[case[0] for case in REFUSALS])
def test_the_chart_refuses_and_says_why(case: int) -> None:
    assert REFUSALS[case][2] in said(case)


def test_every_refusal_of_the_chart_is_tried_here() -> None:
    text = (CHART / "templates" / "validations.yaml").read_text()
    refusals = re.findall(r'include "threengram\.refuse" \(?(?:printf )?"((?:[^"\\]|\\.)*)"', text)
    assert len(refusals) == text.count('include "threengram.refuse"')
    patterns = {refusal: ".*".join(map(re.escape, re.split("%[sqv]", refusal))) for refusal in refusals}
    answers = [said(case) for case in range(len(REFUSALS))]
    assert [
        refusal for refusal, pattern in patterns.items() if not any(re.search(pattern, one) for one in answers)
    ] == []


@pytest.mark.parametrize(
    "values",
    [
        nested("gatway.replicas", 3),
        nested("gateway.replica", 3),
        nested("gateway.settings.callsPerMinutes", 3),
        nested("gateway.settings.databaseUrl", "postgresql://x"),
        nested("gateway.pod.toleration", []),
        nested("pods.affinity.nodeAffinty", {}),
        nested("gateway.resources.limit", {"memory": "1Gi"}),
        nested("workers.default.queue", ["embed"]),
        nested("workers.Default", {}),
        nested("workerDefaults.queues", ["mail"]),
        nested("gateway.settings.callsPerMinute", 0),
        nested("gateway.settings.callsPerMinute", "many"),
        nested("gateway.autoscaling.type", "both"),
        nested("gateway.autoscaling.minReplicas", 0),
        nested("embedder.autoscaling.minReplicas", 0),
        nested("beat.replicas", 0),
        nested("embedder.secretSettings.openaiApiKey", {"secret": "models"}),
        nested("gateway.image.digest", "latest"),
        nested("networkPolicy.ingressFrom", [{"podSelectors": {}}]),
        nested("database.backup.retention", "thirty days"),
        nested("image.pullPolicy", "Sometimes"),
        nested("logLevel", "verbose"),
    ],
    ids=str,
)
def test_the_schema_refuses_what_it_does_not_know_at_every_depth(values: dict[str, Any]) -> None:
    with pytest.raises(helm.HelmError) as refused:
        render(merged(KEYS, values))
    assert "values don't meet the specifications of the schema" in str(refused.value)
