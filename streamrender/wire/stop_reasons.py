"""Stop reasons: every provider's words in Anthropic's."""

# Other providers' and gateways' words for Anthropic's stop reasons; what is not here passes through.
_STOP_REASONS = {
    "stop": "end_turn",
    "STOP": "end_turn",
    "eos": "end_turn",
    "eos_token": "end_turn",
    "tool_calls": "tool_use",
    "function_call": "tool_use",
    "length": "max_tokens",
    "model_length": "max_tokens",
    "max_output_tokens": "max_tokens",
    "MAX_TOKENS": "max_tokens",
    "sensitive": "refusal",
    "content_filter": "refusal",
    "SAFETY": "refusal",
    "RECITATION": "refusal",
    "BLOCKLIST": "refusal",
    "PROHIBITED_CONTENT": "refusal",
    "SPII": "refusal",
    "IMAGE_SAFETY": "refusal",
    "IMAGE_PROHIBITED_CONTENT": "refusal",
    "IMAGE_RECITATION": "refusal",
    "MODEL_ARMOR": "refusal",
    "JAILBREAK": "refusal",
}

# After these the model had finished what it wrote; after any other the last tool call may be cut.
_FINISHED = frozenset({"tool_use", "end_turn", "stop_sequence", "pause_turn"})


def stop_reason(raw: str, calls: bool = False) -> str:
    """Anthropic's word for a provider's; a plain stop with tool calls to answer is `tool_use`."""
    word = _STOP_REASONS.get(raw, raw)
    return "tool_use" if calls and word == "end_turn" else word


def moved_on(reason: str | None) -> bool:
    """Whether this stop reason shows that the model finished its last block."""
    return reason in _FINISHED
