"""What the relay tells other rooms without knowing them."""

from django.dispatch import Signal

# Sent inside the transaction that ends a turn. turn: Turn, already saved; messages: [{"role", "content",
# …}] in order.
turn_ended = Signal()

# Sent every hour, in a database thread: what is past its days may go.
swept = Signal()
