"""Whether a text of a repository speaks to the model that reads it instead of saying what is."""

from __future__ import annotations

import re

_WHO = (
    r"(?:ai|a\.i\.|assistant|llm|chatbot|language\ model|(?:ai|coding)\ agent|claude|chatgpt|gpt)"
)
_TO_A_MODEL = re.compile(
    rf"""
    \b(?:ignore|disregard|forget|override|bypass)\b [^.\n]{{0,40}}
        \b(?:instructions?|prompts?|guidelines|guardrails)\b
    | \byou\ (?:are|act\ as|will\ act\ as)\ [^.\n]{{0,40}} \b{_WHO}\b
    | \b{_WHO}s?\b [^.\n]{{0,20}} \b(?:must|should|shall|has\ to|have\ to|will\ now)\b
    | \b(?:system|developer)\ (?:prompt|message)\s*: | \bnew\ instructions\b
    | \b(?:tell|telling|ask|asking|inform|informing)\ the\ user\b
    | ^\s*(?:system|assistant|human)\s*:\s
    | </?\s*(?:system|assistant|tool_calls?|function_calls?|instructions?|invoke)
        (?![\w.:-]) [^<>]{{0,80}}>
    | \[/?(?:INST|SYSTEM)\] | <\|\w+\|>
    """,
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
"""The shapes of an order to a model: forget what you were told, be somebody else, an assistant
must, words kept from the user, and the marks of a conversation or a tool's call."""


def speaks_to_a_model(text: str) -> bool:
    """Whether `text` is shaped like an instruction to a model."""
    return _TO_A_MODEL.search(text) is not None
