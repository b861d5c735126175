"""What an import reads of an export, against what an export holds."""

from threengram.core.imports import LEFT_OUT
from threengram.core.imports.reading import _FAMILY
from threengram.schema.export import EXPORT_RECORDS, kind_of
from threengram.schema.import_records import IMPORT_RECORDS, ImportBegins, ImportEnds, kind_read
from threengram.schema.imports import SKIP_MEANINGS, SkipReason


def test_every_kind_of_record_is_read_or_left_out_for_a_reason() -> None:
    read = {kind_read(record) for record in IMPORT_RECORDS}
    assert read | LEFT_OUT.keys() == {kind_of(record) for record in EXPORT_RECORDS}
    assert read & LEFT_OUT.keys() == set()
    assert {*_FAMILY, ImportBegins, ImportEnds} == set(IMPORT_RECORDS)


def test_every_field_that_is_read_is_one_of_the_export() -> None:
    exported = {kind_of(record): record for record in EXPORT_RECORDS}
    for record in IMPORT_RECORDS:
        assert record.model_fields.keys() <= exported[kind_read(record)].model_fields.keys(), record


def test_every_reason_is_explained() -> None:
    assert SKIP_MEANINGS.keys() == set(SkipReason)
