from django.db import migrations


def create(apps, schema_editor):
    """The index, and all that has been said so far. PostgreSQL needs none."""
    from chatsite.chats.tokens import tokens

    if schema_editor.connection.vendor != "sqlite":
        return
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("CREATE VIRTUAL TABLE chats_search USING fts5(tokens, owner, message)")
        for message in apps.get_model("chats", "Message").objects.order_by("created").iterator():
            text = "\n".join(block["text"] for block in message.content if block.get("type") == "text")
            row = [tokens(text), f"u{message.owner_id}", f"m{message.id.hex}"]
            cursor.execute("INSERT INTO chats_search (tokens, owner, message) VALUES (%s, %s, %s)", row)


def drop(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute("DROP TABLE chats_search")


class Migration(migrations.Migration):
    dependencies = [("chats", "0003_pinned_archived")]
    operations = [migrations.RunPython(create, drop)]
