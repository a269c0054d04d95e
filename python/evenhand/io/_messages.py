"""Prompts and replies as tools log them: texts, messages, requests to an API."""

from __future__ import annotations

from typing import Any

from evenhand._data import Record
from evenhand.io._field import Field

_ROLES = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "model": "assistant",
}
#: A message's text; Phoenix flattens names.
_CONTENTS = ("content", "message.content")
#: Fields of an object that hold the prompt, the likeliest first.
_PROMPTS = ("messages", "input", "question", "query", "prompt", "instruction", "text", "content")
#: Fields that hold the reply where an object has no other field.
_REPLIES = ("output", "answer", "response", "result", "text", "completion", "content")


def read_prompt(field: Field) -> Record | None:
    """Read a prompt that is a text or a list of messages: ``{instruction}`` or ``{messages}``.

    Returns:
        None where the user does not have the last word, or says nothing.
    """
    if is_conversation(field.value):
        return _read_conversation(field)
    text = field.text()
    return {"instruction": text} if text.strip() else None


def read_question(field: Field, depth: int = 0) -> Record | None:
    """Read what was asked from what a trace logged: a text, messages, or a request with either.

    Returns:
        None where the user does not have the last word, as between two calls of a tool.
    """
    field = field.parse_json()
    if is_conversation(field.value):
        return _read_conversation(field)
    inner = field.find(*_PROMPTS) or _only_argument(field)
    if inner is not None and depth < 8:
        return read_question(inner, depth + 1)
    text = field.any_text()
    return {"instruction": text} if text.strip() else None


def is_conversation(value: Any) -> bool:
    """Whether a value is a list of messages."""
    return isinstance(value, list) and bool(value) and all(_role_of(one) for one in value)


def _role_of(message: Any) -> str | None:
    if not isinstance(message, dict):
        return None
    names = ("role", "message.role", "type")
    role = next((message[name] for name in names if message.get(name)), None)
    return "tool" if role == "tool" else _ROLES.get(role) if isinstance(role, str) else None


def _read_conversation(field: Field) -> Record | None:
    messages = [_read_message(message) for message in field]
    if messages[-1]["role"] != "user":
        return None
    if len(messages) == 1:
        return {"instruction": messages[0]["content"]}
    return {"messages": [message for message in messages if message["role"] != "tool"]}


def _read_message(message: Field) -> Record:
    content = message.find(*_CONTENTS)
    return {"role": _role_of(message.value), "content": join_parts(content) if content else ""}


def join_parts(content: Field) -> str:
    """Join the texts of a message, which is a text or a list of parts."""
    if not isinstance(content.value, list):
        return content.any_text()
    parts = [part.find("text") if isinstance(part.value, dict) else part for part in content]
    return "\n".join(part.any_text() for part in parts if part is not None)


def _only_argument(field: Field) -> Field | None:
    """Return the one argument of a call that was logged as ``{args, kwargs}``."""
    value = field.value
    if not isinstance(value, dict) or set(value) != {"args", "kwargs"}:
        return None
    found = [one for name in ("args", "kwargs") for one in _arguments(field.find(name))]
    return found[0] if len(found) == 1 else None


def _arguments(field: Field | None) -> list[Field]:
    if field is None or isinstance(field.value, str):
        return []
    if isinstance(field.value, dict):
        return [one for name in field.value if (one := field.find(name)) is not None]
    return field.elements()


def read_logged_reply(field: Field) -> str | None:
    """Read what a trace logged as a reply, which may be the JSON of a chat API.

    An answer that is JSON of another shape stays as it was written.
    """
    opened = field.parse_json()
    return read_reply(field if _find_message(opened) is None else opened)


def read_reply(field: Field) -> str | None:
    """Read what a system replied: a text, a message, or the reply of a chat API.

    Returns:
        None where there is no text, as in a call of a tool.
    """
    message = _find_message(field)
    if message is not None:
        content = message.find(*_CONTENTS, "text")
        text = join_parts(content) if content else ""
    else:
        text = _unwrap(field).any_text()
    return text if text.strip() else None


def _unwrap(field: Field) -> Field:
    """Return the only field of an object such as ``{"answer": ".."}``."""
    if isinstance(field.value, dict) and len(field.value) == 1:
        found = field.find(*_REPLIES)
        if found is not None and isinstance(found.value, str):
            return found
    return field


def _find_message(field: Field) -> Field | None:
    """Return the message of a reply: a message, the last of several, or a choice's."""
    if _is_reply(field.value):
        return field
    if isinstance(field.value, list) and field.value and _is_reply(field.value[-1]):
        return field.elements()[-1]
    choices = field.find("choices", "messages", "output")
    if choices is None or not isinstance(choices.value, list) or not choices.value:
        return None
    chosen = choices.elements()[0 if "choices" in field.value else -1]
    return chosen.find("message") or (chosen if isinstance(chosen.value, dict) else None)


def _is_reply(value: Any) -> bool:
    return _role_of(value) == "assistant" or (
        isinstance(value, dict) and value.get("type") == "message" and "content" in value
    )


