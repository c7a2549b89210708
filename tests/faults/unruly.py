"""Settings of a server whose bells are dropped, doubled, late and out of order."""

import asyncio
import random
from typing import Any

from channels_redis.core import RedisChannelLayer

from chatsite.settings import *  # noqa: F403
from chatsite.settings import CHANNEL_LAYERS


class UnrulyLayer(RedisChannelLayer):  # type: ignore[misc]
    """Three of ten bells are lost, three ring twice, each one up to half a second late."""

    rng = random.Random(1)

    async def group_send(self, group: str, message: dict[str, Any]) -> None:
        """Ring, or not, or twice, some time."""
        for _ in range(self.rng.choices([0, 1, 2], [3, 4, 3])[0]):
            await asyncio.sleep(self.rng.uniform(0, 0.5))
            await super().group_send(group, dict(message))


CHANNEL_LAYERS["default"]["BACKEND"] = "tests.faults.unruly.UnrulyLayer"
