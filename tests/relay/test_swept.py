"""The clock of the relay tells the other rooms that what is past its days may go."""

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.utils import timezone

from chatsite.accounts.models import User
from chatsite.chats import attachments
from chatsite.chats.models import Attachment
from chatsite.relay import limits

PNG = b"\x89PNG\r\n\x1a\n" + bytes(40)


async def test_files_that_were_never_sent_go_by_themselves(
    open_page: Any, monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path
) -> None:
    settings.DATA = tmp_path
    monkeypatch.setattr(limits, "JANITOR", 0.01)
    await open_page()
    owner = await User.objects.aget()
    old, new = [await sync_to_async(attachments.take)(owner.pk, "a.png", PNG) for _ in range(2)]
    await Attachment.objects.filter(id=old.id).aupdate(created=timezone.now() - timedelta(days=2))
    async with asyncio.timeout(30):
        while await Attachment.objects.filter(id=old.id).aexists():
            await asyncio.sleep(0.01)
    assert [attachments.path_of(file.id).exists() for file in (old, new)] == [False, True]
