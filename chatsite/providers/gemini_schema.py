"""JSON Schema in the part of it that Gemini's function declarations know (an OpenAPI subset).

References are resolved, unknown keys left out; what is said with them is lost to the model, never to the
tool: its arguments are checked against the full schema before it runs.
"""

from __future__ import annotations

from typing import Any

KEYS = frozenset(
    {
        "title", "description", "nullable", "enum", "maxItems", "minItems", "required", "minProperties",
        "maxProperties", "minLength", "maxLength", "pattern", "minimum", "maximum",
    }
)  # fmt: skip
FORMATS = frozenset({"float", "double", "int32", "int64", "enum", "date-time"})
DEEPEST = 12

Schema = dict[str, Any]


def clean_schema(schema: Schema) -> Schema:
    """The schema as Gemini takes it; type names in capitals.

    >>> clean_schema({"type": ["string", "null"], "format": "uri", "additionalProperties": False})
    {'type': 'STRING', 'nullable': True}
    """
    return _clean(schema, schema.get("$defs") or schema.get("definitions") or {}, 0)


def _clean(schema: Any, definitions: Schema, depth: int) -> Schema:
    if not isinstance(schema, dict) or depth > DEEPEST:
        return {"type": "OBJECT"} if depth > DEEPEST else {}
    schema = _resolved(schema, definitions, depth)
    kept: Schema = _type(schema)
    kept.update({key: schema[key] for key in KEYS if key in schema})
    if schema.get("format") in FORMATS:
        kept["format"] = schema["format"]
    if "const" in schema:
        kept["enum"] = [schema["const"]]
    if "enum" in kept:
        _strings_only(kept)
    if isinstance(schema.get("properties"), dict):
        kept["properties"] = {
            name: _clean(one, definitions, depth + 1) for name, one in schema["properties"].items()
        }
        kept["required"] = [name for name in schema.get("required", []) if name in kept["properties"]]
    if not kept.get("required"):
        kept.pop("required", None)
    if kept.get("type") == "ARRAY":
        kept["items"] = _clean(schema.get("items") or {"type": "string"}, definitions, depth + 1)
    alternatives = schema.get("anyOf") or schema.get("oneOf")
    if alternatives:
        _add_alternatives(kept, alternatives, definitions, depth)
    return kept


def _resolved(schema: Schema, definitions: Schema, depth: int) -> Schema:
    """The schema with its reference and its allOf folded in."""
    for _ in range(DEEPEST):
        reference = schema.get("$ref")
        if not isinstance(reference, str):
            break
        target = definitions.get(reference.rpartition("/")[2])
        rest = {key: value for key, value in schema.items() if key != "$ref"}
        schema = {**(target if isinstance(target, dict) else {}), **rest}
    for part in schema.get("allOf") or []:
        if isinstance(part, dict):
            part = _resolved(part, definitions, depth + 1) if depth < DEEPEST else part
            properties = {**part.get("properties", {}), **schema.get("properties", {})}
            schema = {**part, **schema}
            if properties:
                schema["properties"] = properties
    return schema


def _type(schema: Schema) -> Schema:
    """{"type"} and {"nullable"} of a schema whose type may be a list."""
    named = schema.get("type")
    names = [named] if isinstance(named, str) else list(named or [])
    real = [name for name in names if name != "null"]
    out: Schema = {}
    if len(real) == 1:
        out["type"] = str(real[0]).upper()
    elif real:
        out["anyOf"] = [{"type": str(name).upper()} for name in real]
    elif "properties" in schema:
        out["type"] = "OBJECT"
    elif "enum" in schema or "const" in schema:
        out["type"] = "STRING"
    if "null" in names and real:
        out["nullable"] = True
    return out


def _strings_only(kept: Schema) -> None:
    """Only strings may be enumerated on this wire."""
    values = [value for value in kept["enum"] if isinstance(value, str) and value]
    if kept.get("type") == "STRING" and values:
        kept["enum"] = values
    else:
        del kept["enum"]


def _add_alternatives(kept: Schema, alternatives: list[Any], definitions: Schema, depth: int) -> None:
    real = [one for one in alternatives if not (isinstance(one, dict) and one.get("type") == "null")]
    if len(real) < len(alternatives):
        kept["nullable"] = True
    if len(real) == 1:
        for key, value in _clean(real[0], definitions, depth + 1).items():
            kept.setdefault(key, value)
    elif real:
        kept["anyOf"] = [_clean(one, definitions, depth + 1) for one in real]
