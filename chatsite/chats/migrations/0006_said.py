import itertools

import django.db.models.deletion
from django.db import migrations, models

SQLITE = [
    "DROP TABLE chats_search",
    # No text of its own, no sizes to rank by; beginnings of two and three letters behind the owner's seven.
    "CREATE VIRTUAL TABLE chats_search USING fts5(tokens, content='', columnsize=0, prefix='9 10')",
]
TAG = "lpad(owner_id::text, greatest(6, length(owner_id::text)), '0') || 'q'"
POSTGRESQL = [
    "ALTER TABLE chats_said ADD COLUMN terms tsvector GENERATED ALWAYS AS (array_to_tsvector(string_to_array("
    f"CASE WHEN tokens = '' THEN '' ELSE {TAG} || replace(tokens, ' ', ' ' || {TAG}) END, ' '))) STORED",
    "CREATE INDEX chats_said_terms ON chats_said USING gin (terms) WITH (fastupdate = off)",
    "CREATE INDEX chats_said_newest ON chats_said (owner_id, number)",
]


def create(apps, schema_editor):
    """The index, and all that has been said so far."""
    from chatsite.chats.search_index import few
    from chatsite.chats.tokens import tagged, tokens

    sqlite = schema_editor.connection.vendor == "sqlite"
    for statement in SQLITE if sqlite else POSTGRESQL:
        schema_editor.execute(statement)
    Said = apps.get_model("chats", "Said")
    messages = apps.get_model("chats", "Message").objects.order_by("created", "number").iterator()
    while some := list(itertools.islice(messages, 1000)):
        rows = []
        for one in some:
            text = "\n".join(block["text"] for block in one.content if block.get("type") == "text")
            rows.append(Said(message_id=one.id, owner_id=one.owner_id, tokens=few(tokens(text))))
        Said.objects.bulk_create(rows)
        if sqlite:
            with schema_editor.connection.cursor() as cursor:
                cursor.executemany(
                    "INSERT INTO chats_search (rowid, tokens) VALUES (%s, %s)",
                    [(row.number, tagged(row.tokens, row.owner_id)) for row in rows],
                )


def drop(apps, schema_editor):
    """The index of before, empty; on PostgreSQL there was none."""
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute("DROP TABLE chats_search")
        schema_editor.execute("CREATE VIRTUAL TABLE chats_search USING fts5(tokens, owner, message)")


class Migration(migrations.Migration):
    dependencies = [("chats", "0005_share")]
    operations = [
        migrations.CreateModel(
            name="Said",
            fields=[
                ("number", models.BigAutoField(primary_key=True, serialize=False)),
                ("owner_id", models.BigIntegerField()),
                ("tokens", models.TextField()),
                (
                    "message",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="said", to="chats.message"
                    ),
                ),
            ],
        ),
        migrations.RunPython(create, drop),
    ]
