"""Full garbage collections at times when they disturb nobody.

The pages of a hundred running turns are half a million objects. Python would walk through all of them again
and again while they grow, and each walk stops every stream for a tenth of a second. What is young is
collected as ever.
"""

import asyncio
import gc
from collections.abc import Callable

YOUNG = (2000, 10)  # Python's thresholds of the two young generations: a few milliseconds each time
NEVER = 1_000_000_000
CALM = 30.0  # seconds between two full collections while no turn runs
LONGEST = 600.0  # the same while turns run


async def tidy(busy: Callable[[], bool], every: float = 5.0) -> None:
    """Take the full collections over from Python, until cancelled."""
    before = gc.get_threshold()
    gc.set_threshold(*YOUNG, NEVER)
    loop = asyncio.get_running_loop()
    last = loop.time()
    try:
        while True:
            await asyncio.sleep(every)
            if loop.time() - last >= (LONGEST if busy() else CALM):
                gc.collect()
                last = loop.time()
    finally:
        gc.set_threshold(*before)
