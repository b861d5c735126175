"""Migrations of a later release, planted behind the real ones: a column of `tenants` gets another name."""

from pathlib import Path

from threengram.core.db.schema import NEEDS

PRE, POST, AFTER = (f"{int(NEEDS) + step:04}" for step in (1, 2, 3))

ADD_TITLE = '''
    op.execute("ALTER TABLE tenants ADD COLUMN title text")
    # Forced row security holds for the owner too, who would touch no row.
    op.execute("ALTER TABLE tenants NO FORCE ROW LEVEL SECURITY")
    op.execute("UPDATE tenants SET title = name")
    op.execute("ALTER TABLE tenants FORCE ROW LEVEL SECURITY")
    op.execute("""
        CREATE FUNCTION name_both_ways() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            NEW.title := coalesce(NEW.title, NEW.name);
            NEW.name := coalesce(NEW.name, NEW.title);
            RETURN NEW;
        END $$
    """)
    op.execute("CREATE TRIGGER name_both_ways BEFORE INSERT ON tenants FOR EACH ROW EXECUTE FUNCTION name_both_ways()")
'''
ADD_WHAT_OLD_CODE_DOES_NOT_KNOW = """
    op.execute("CREATE TABLE regions (name text PRIMARY KEY)")
    op.execute("COMMENT ON TABLE regions IS 'no tenant'")
    op.execute("CREATE POLICY sweeper_lists ON tenants FOR SELECT TO tg_sweeper USING (true)")
"""
DROP_NAME = """
    op.execute("DROP TRIGGER name_both_ways ON tenants")
    op.execute("DROP FUNCTION name_both_ways()")
    op.execute("ALTER TABLE tenants DROP COLUMN name")
"""
NOTHING = """
    op.execute("SELECT 1")
"""


def plant(home: Path, revision: str, deploy: str, body: str) -> None:
    """One more migration at the end of the history in `home`."""
    (home / "versions" / f"{revision}_planted.py").write_text(
        f'"""Planted.\n\ndeploy: {deploy}\n"""\n\nfrom alembic import op\n\n'
        f'revision = "{revision}"\ndown_revision = "{int(revision) - 1:04}"\n\n\ndef upgrade() -> None:{body}'
    )


def plant_the_next_release(home: Path) -> None:
    """What the release after this one would bring."""
    plant(home, PRE, "pre", ADD_TITLE + ADD_WHAT_OLD_CODE_DOES_NOT_KNOW)
    plant(home, POST, "post", DROP_NAME)
    roles = (home / "roles.sql").read_text()
    assert "UPDATE (name) ON tenants" in roles
    (home / "roles.sql").write_text(roles.replace("UPDATE (name) ON tenants", "UPDATE (title) ON tenants"))
