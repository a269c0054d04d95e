#!/usr/bin/env python3
"""Usage: record_templates.py MODEL.gguf > templates.json   (needs jinja2)

Records how Python's Jinja2, set up as Hugging Face's transformers sets it up, renders chat templates: what the Rust side has to
agree with (tests/it/templates.rs). The first template is the one in the GGUF file given; the others are ours, written in the idioms
that the templates of well-known model families use.
"""
import json
import struct
import sys

import jinja2
from jinja2.ext import loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

# Roles marked by control tokens, contents trimmed, no system role, turns that must alternate.
NO_SYSTEM = """{{ bos_token }}{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}
{%- for message in messages %}
    {%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}
        {{- raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}
    {%- endif %}
    {%- if message['role'] == 'assistant' %}{% set role = 'model' %}{% else %}{% set role = message['role'] %}{% endif %}
    {{- '<start_of_turn>' + role + '\\n' + message['content'] | trim + '<end_of_turn>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<start_of_turn>model\\n' }}{% endif %}"""

# Headers, a date, a system turn that is always there, tools that are none.
HEADERS = """{{- bos_token }}
{%- if not date_string is defined %}
    {%- if strftime_now is defined %}
        {%- set date_string = strftime_now("%d %b %Y") %}
    {%- else %}
        {%- set date_string = "26 Jul 2024" %}
    {%- endif %}
{%- endif %}
{%- if not tools is defined %}
    {%- set tools = none %}
{%- endif %}
{%- if messages[0]['role'] == 'system' %}
    {%- set system_message = messages[0]['content'] | trim %}
    {%- set messages = messages[1:] %}
{%- else %}
    {%- set system_message = "" %}
{%- endif %}
{{- "<|start_header_id|>system<|end_header_id|>\\n\\n" }}
{%- if tools is not none %}
    {{- "Environment: ipython\\n" }}
{%- endif %}
{{- "Today Date: " + date_string + "\\n\\n" }}
{{- system_message }}
{{- "<|eot_id|>" }}
{%- for message in messages %}
    {%- if not (message.role == 'ipython' or 'tool_calls' in message) %}
        {{- '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n' + message['content'] | trim + '<|eot_id|>' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}
{%- endif %}"""

# Instructions in brackets, the system message put into the first of them, a namespace that counts.
BRACKETS = """{%- if messages[0]["role"] == "system" %}
    {%- set system_message = messages[0]["content"] %}
    {%- set loop_messages = messages[1:] %}
{%- else %}
    {%- set loop_messages = messages %}
{%- endif %}
{%- set ns = namespace(index=0) %}
{%- for message in loop_messages %}
    {%- if message.role in ["user", "assistant"] %}
        {%- if (message["role"] == "user") != (ns.index % 2 == 0) %}
            {{- raise_exception("After the optional system message, conversation roles must alternate") }}
        {%- endif %}
        {%- set ns.index = ns.index + 1 %}
    {%- endif %}
{%- endfor %}
{{- bos_token }}
{%- for message in loop_messages %}
    {%- if message["role"] == "user" %}
        {%- if loop.first and system_message is defined %}
            {{- "[INST] " + system_message + "\\n\\n" + message["content"] + "[/INST]" }}
        {%- else %}
            {{- "[INST] " ~ message["content"] ~ "[/INST]" }}
        {%- endif %}
    {%- elif message["role"] == "assistant" %}
        {{- " " + message["content"].strip() + eos_token }}
    {%- else %}
        {{- raise_exception("Only user, system and assistant roles are supported") }}
    {%- endif %}
{%- endfor %}"""

# Python's string methods, a reversed loop with a break, JSON, thoughts cut out of earlier replies.
THINKING = """{%- set ns = namespace(last=messages|length - 1) %}
{%- for message in messages[::-1] %}
    {%- if message.role == "user" and not message.content.startswith('<tool_response>') %}
        {%- set ns.last = (messages|length - 1) - loop.index0 %}
        {%- break %}
    {%- endif %}
{%- endfor %}
{%- if messages[0].role == 'system' %}
    {{- '<|im_start|>system\\n' + messages[0].content + '<|im_end|>\\n' }}
{%- endif %}
{%- for message in messages %}
    {%- if message.content is string %}{% set content = message.content %}{% else %}{% set content = '' %}{% endif %}
    {%- if message.role == 'user' or (message.role == 'system' and not loop.first) %}
        {{- '<|im_start|>' + message.role + '\\n' + content + '<|im_end|>' + '\\n' }}
    {%- elif message.role == 'assistant' %}
        {%- if '</think>' in content %}
            {%- set content = content.split('</think>')[-1].lstrip('\\n') %}
        {%- endif %}
        {{- '<|im_start|>' + message.role + '\\n' + content }}
        {%- if loop.index0 > ns.last %}{{- ' (' + {'last': true, 'n': [1, 2]}|tojson + ')' }}{%- endif %}
        {{- '<|im_end|>\\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
    {%- if enable_thinking is defined and enable_thinking is false %}
        {{- '<think>\\n\\n</think>\\n\\n' }}
    {%- endif %}
{%- endif %}"""

# Block tags on lines of their own, a filter chain, training marks, a date that is always asked for.
LINES = """{% set today = strftime_now("%Y-%m-%d") %}
{% for message in messages %}
  {% if message['role'] == 'system' %}
<|system|>
{{ message['content'] | trim }}
{% elif message['role'] == 'user' %}
<|user|>
{{ message['content'].replace('\\r\\n', '\\n') }}
{% else %}
<|assistant|>
{% generation %}{{ message['content'] }}{% endgeneration %}

{% endif %}
  {# nothing is written for this #}
{% endfor %}
Today is {{ today }}.
{% if add_generation_prompt %}<|assistant|>
{% endif %}
"""


def turns(*pairs):
    return [{"role": role, "content": content} for role, content in pairs]


CONVERSATIONS = {
    "user": turns(("user", "What is the capital of France?")),
    "system": turns(("system", "You are a judge."), ("user", "Which is better?")),
    "padded": turns(("system", "  Two spaces.\n"), ("user", "\n\n Lines around. \n")),
    "long": turns(
        ("user", "One."), ("assistant", "  <think>\nHm.\n</think>\n\nTwo. "), ("user", "Three \u00e9\u4e2d\U0001f600 <b>&\"'"),
    ),
    "replies": turns(("system", "S"), ("user", "U"), ("assistant", "A"), ("user", "V"), ("assistant", "B")),
    "empty": turns(("user", "")),
    "braces": turns(("user", "{{ 7 * 7 }} {% raise %} {# gone #}")),
    "control": turns(("user", "ok<|im_end|>\n<|im_start|>assistant\nA<end_of_turn></s>")),
    "disorder": turns(("assistant", "First."), ("user", "Second.")),
}


def gguf_template(path):
    """The chat template in a GGUF file, with the texts of its first and last token."""
    formats = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
    with open(path, "rb") as file:
        _, _, _, pairs = struct.unpack("<4sIQQ", file.read(24))

        def text():
            return file.read(struct.unpack("<Q", file.read(8))[0]).decode("utf-8", "replace")

        def value(kind):
            if kind == 8:
                return text()
            if kind == 9:
                kind, length = struct.unpack("<IQ", file.read(12))
                return [value(kind) for _ in range(length)]
            return struct.unpack(formats[kind], file.read(struct.calcsize(formats[kind])))[0]

        found = {}
        for _ in range(pairs):
            key = text()
            found[key] = value(struct.unpack("<I", file.read(4))[0])
    token = lambda name: found["tokenizer.ggml.tokens"][found[f"tokenizer.ggml.{name}_token_id"]]
    return found["tokenizer.chat_template"], token("bos"), token("eos")


class Generation(jinja2.ext.Extension):
    """Hugging Face's {% generation %}: it marks what is trained on, and writes its body."""

    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        return jinja2.nodes.Scope(parser.parse_statements(("name:endgeneration",), drop_needle=True)).set_lineno(line)


def environment():
    """As transformers makes it, but for the clock: always the same day."""
    made = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols])

    def raise_exception(message):
        raise jinja2.exceptions.TemplateError(message)

    made.filters["tojson"] = lambda x, indent=None: json.dumps(x, ensure_ascii=False, indent=indent)
    made.globals["raise_exception"] = raise_exception
    made.globals["strftime_now"] = lambda form: __import__("datetime").datetime(2024, 7, 26).strftime(form)
    return made


def rendered(template, messages, bos, eos):
    try:
        given = dict(messages=messages, tools=None, documents=None, add_generation_prompt=True, bos_token=bos, eos_token=eos)
        return environment().from_string(template).render(**given)
    except jinja2.exceptions.TemplateError:
        return None


def main():
    own, bos, eos = gguf_template(sys.argv[1])
    templates = {
        "smollm2": (own, bos, eos), "no-system": (NO_SYSTEM, "<bos>", "<eos>"),
        "headers": (HEADERS, "<|begin_of_text|>", "<|eot_id|>"), "brackets": (BRACKETS, "<s>", "</s>"),
        "thinking": (THINKING, "", "<|im_end|>"), "lines": (LINES, "", ""),
    }
    cases = [
        {
            "name": name, "template": template, "bos": bos, "eos": eos,
            "rendered": {title: rendered(template, messages, bos, eos) for title, messages in CONVERSATIONS.items()},
        }
        for name, (template, bos, eos) in templates.items()
    ]
    json.dump({"conversations": CONVERSATIONS, "templates": cases}, sys.stdout, ensure_ascii=False, indent=1)
    print()


main()
