"""What the relay tells other rooms without knowing them."""

from django.dispatch import Signal

# Sent inside the transaction that ends a turn. turn: Turn, already saved; messages: [{"role", "content",
# …}] in order.
turn_ended = Signal()
