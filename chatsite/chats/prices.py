"""The prices that the administrator entered, as the page reckons with them (static/js/prices.js)."""

from typing import Any

from chatsite.providers.models import Price

FIELDS = ("input", "output", "cache_read", "cache_write")


def prices() -> list[dict[str, Any]]:
    """[{"model", "currency", *FIELDS}] per million tokens, None where nothing was entered."""
    return [
        {
            "model": price.model,
            "currency": price.currency,
            **{name: None if (each := getattr(price, name)) is None else float(each) for name in FIELDS},
        }
        for price in Price.objects.all()
    ]
