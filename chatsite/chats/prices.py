"""What the page reckons with (static/js/prices.js, gauge.js): the prices and context windows that the
administrator entered, and the windows that servers tell of their models.
"""

from typing import Any

from chatsite.providers.models import Price

FIELDS = ("input", "output", "cache_read", "cache_write")


def reckoning(offered: list[dict[str, Any]]) -> dict[str, Any]:
    """{"prices": [{"model", "currency", *FIELDS}] per million tokens, None where nothing was entered,
    "windows": [{"model", "window"}] in tokens, what was entered (`*` stands for any letters) first}.

    `offered`: the models of offered.models_for.
    """
    entered = list(Price.objects.all())
    windows = [(price.model, price.window) for price in entered]
    windows += [(one["model"], one["window"]) for one in offered]
    return {
        "prices": [_price(price) for price in entered],
        "windows": [{"model": model, "window": window} for model, window in windows if window],
    }


def _price(price: Price) -> dict[str, Any]:
    each = {name: getattr(price, name) for name in FIELDS}
    amounts = {name: None if value is None else float(value) for name, value in each.items()}
    return {"model": price.model, "currency": price.currency, **amounts}
