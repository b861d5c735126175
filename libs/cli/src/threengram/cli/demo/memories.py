"""Thirty memories of one invented working life, as an agent would write them."""

from collections.abc import Mapping

Arguments = Mapping[str, object]

_LONG_BODY = (
    "Notes from the quarterly review of the Meridian project. The team walked through every open workstream in turn. "
    "The ingestion service now handles twice the volume of spring, and the on-call rotation has been quiet for six "
    "weeks; the last page was a full disk on the build host. Marta showed the new dashboard for partner accounts: it "
    "loads in under a second and partners stopped sending spreadsheets by mail. Finance asked for a forecast of "
    "storage cost, since attachments grow by nine percent a month. Ravi argued for moving cold attachments to cheaper"
    " storage after ninety days, and nobody objected. The search backlog was cut in half by closing duplicates. Two "
    "customers complained about time zones in exported reports; both were using the old template, which will be "
    "removed. Legal confirmed that the retention period for invoices stays at ten years, while chat transcripts are "
    "kept for one. Hiring: one offer is out for a backend engineer, and the design role is paused until autumn. "
    "Training: everybody should finish the privacy course by the end of the month, including contractors. The "
    "workshop with the Lisbon office moves to the second week of May because of the bank holiday, and travel should "
    "be booked early. Risk register: the single sign-on vendor announced a price increase, the replacement candidates"
    " are to be compared by June; the mobile app still depends on a library without a maintainer. Retrospective: "
    "reviews are faster since pull requests are smaller, yet documentation lags behind, and new joiners get lost "
    "between the wiki and the repository. The proposal is to keep documentation beside the code and to archive the "
    "wiki. Celebration: five years of the first customer, cakes on Thursday afternoon in the kitchen of the third "
    "floor. Anything about parking goes to the facilities desk and not into this meeting. Minutes are circulated to "
    "everyone by Monday noon. At the very end the group agreed on the name of the mascot: the little heron on the "
    "posters is called Ferdinand."
)


def _memory(kind: str, topic: str, content: str, **more: object) -> Arguments:
    return {"memoryType": kind, "topic": topic, "content": content, "scope": "work", "project": "meridian", **more}


def _measured(subject: str, predicate: str, value: str) -> dict[str, str]:
    return {"subject": subject, "predicate": predicate, "value": value}


MEMORIES: tuple[Arguments, ...] = (
    _memory("decision", "Primary database", "We store all business data in PostgreSQL; MongoDB is ruled out."),
    _memory("decision", "Release cadence", "Releases go out every second Tuesday, never before a holiday."),
    _memory("decision", "API style", "Partner integrations use REST with JSON; no new SOAP endpoints are built."),
    _memory("decision", "Mobile framework", "The phone app is written in Kotlin Multiplatform, shared by both stores."),
    _memory("decision", "Cold storage", "Attachments older than ninety days move to the cheap object store."),
    _memory("commitment", "Storage cost forecast", "Send finance a forecast of what attachments will cost next year.",
            dueAt="2027-01-15T16:00:00+01:00", owner="Ravi"),
    _memory("commitment", "Weekly status mail", "Write the steering group a short summary of the week.",
            dueAt="2026-12-04T15:00:00+01:00", owner="Marta", recurrence="FREQ=WEEKLY;BYDAY=FR"),
    _memory("commitment", "Renew the certificate", "The TLS certificate of the partner gateway has to be renewed.",
            dueAt="2027-02-01T09:00:00Z"),
    _memory("blocker", "Vendor contract", "The single sign-on vendor has not signed the data processing agreement."),
    _memory("blocker", "Test devices", "Without two older phones the crash on startup cannot be reproduced."),
    _memory("fact", "Ingestion throughput", "After the rewrite the ingestion service takes 4,200 events per second.",
            facts=[_measured("service.ingestion", "throughput.events_per_s", "4200")]),
    _memory("fact", "Office headcount", "The Lisbon office has 38 people since November.",
            facts=[_measured("office.lisbon", "headcount.people", "38")]),
    _memory("fact", "Dashboard load time", "The partner dashboard loads in 0.8 seconds at the 95th percentile.",
            facts=[_measured("dashboard.partner", "load_time_p95.s", "0.8"),
                   _measured("dashboard.partner", "daily_users.count", "310")]),
    _memory("fact", "Invoice retention", "Invoices are kept for ten years, chat transcripts for one."),
    _memory("preference", "Meetings", "Ana never takes calls before ten in the morning."),
    _memory("preference", "Code review", "Reviewers want small pull requests, below four hundred lines."),
    _memory("preference", "Writing style", "Reports start with the conclusion and have no bullet points."),
    _memory("pattern", "Deploys on Fridays", "Whenever something is shipped on a Friday afternoon, somebody is paged."),
    _memory("pattern", "Estimates", "Database migrations take about twice as long as we guess."),
    _memory("note", "Quarterly review", _LONG_BODY),
    _memory("note", "Error in the importer", "ERR_DUPLICATE_KEY in libs/importer/upsert.py, seen since v2.7.1."),
    _memory("note", "Access to the lab", "The laboratory key hangs behind the plant next to the lift."),
    _memory("event", "Outage in spring", "On 14 April the queue was full for forty minutes and orders arrived late."),
    _memory("event", "Kick-off in Porto", "The project began with a two-day meeting at the river in Porto."),
    _memory("note", "Kantine", "Die Kantine ist freitags geschlossen; der Imbiss gegenüber nimmt Karten."),
    _memory("decision", "Sauvegardes", "Les sauvegardes sont chiffrées et testées le premier lundi du mois."),
    _memory("note", "Reunión con el cliente", "El cliente prefiere las facturas en euros y sin decimales."),
    _memory("note", "会議の予定", "来週の定例会議は火曜日の午後三時に変更されました。"),
    _memory("note", "项目预算", "今年的项目预算已经批准,总额为一百二十万元。"),
    _memory("preference", "커피", "수진 씨는 우유를 넣지 않은 진한 커피를 좋아합니다."),
)  # fmt: skip

QUESTIONS: tuple[tuple[str, str], ...] = (
    ("Which relational engine keeps our records?", "Primary database"),
    ("how often do we ship new versions", "Release cadence"),
    ("What happens to old files that nobody opens?", "Cold storage"),
    ("money planning for disk usage", "Storage cost forecast"),
    ("What stops us from logging in with one account?", "Vendor contract"),
    ("number of employees in Portugal", "Office headcount"),
    ("When can I phone Ana?", "Meetings"),
    ("problems after shipping at the end of the week", "Deploys on Fridays"),
    ("the name of the bird on the posters", "Quarterly review"),
    ("upsert.py ERR_DUPLICATE_KEY", "Error in the importer"),
    ("Kantine freitags", "Kantine"),
    ("火曜日 会議", "会議の予定"),
    ("预算", "项目预算"),
    ("커피", "커피"),
)
"""A question in other words, and the topic of the memory that answers it."""
