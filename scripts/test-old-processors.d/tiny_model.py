"""Writes a judge of two small layers with random weights: tiny_model.py FILE.

A model that a processor without vector instructions reads a page with in seconds. Every matrix has
another kind of weights, so that the kernels of all common kinds are run. Its tokens are bytes; what
it says means nothing. The same bytes every time, with nothing but Python.
"""

import random
import struct
import sys
from math import prod
from pathlib import Path

ALIGNMENT = 32
U32, I32, F32, STRING, ARRAY = 4, 5, 6, 8, 9  # kinds of values, by the GGUF specification
NORMAL_TOKEN, CONTROL_TOKEN = 1, 3

WIDTH, INNER, LAYERS, HEADS, CONTEXT = 256, 512, 2, 4, 2048
SPREAD = 0.06  # the standard deviation of a weight, about 1 / sqrt(WIDTH)

# Of each kind of weights: its number, the weights in a block, the block's 16-bit floats (a scale,
# and the scale of what is subtracted or added), the bytes beside them, and whether those come first.
# A block of random bytes under these scales is a block of weights with the SPREAD above.
KINDS = {
    "F16": (1, 1, None, 0, False),
    "Q4_0": (2, 32, (SPREAD / 4.6,), 16, False),
    "Q4_1": (3, 32, (SPREAD / 4.6, -7.5 * SPREAD / 4.6), 16, False),
    "Q8_0": (8, 32, (SPREAD / 74,), 32, False),
    "Q4_K": (12, 256, (SPREAD / 145, 7.5 * SPREAD / 145), 140, False),
    "Q5_K": (13, 256, (SPREAD / 290, 15.5 * SPREAD / 290), 172, False),
    "Q6_K": (14, 256, (SPREAD / 1370,), 208, True),
}

MATRICES = {
    "attn_q": (WIDTH, WIDTH, ("Q8_0", "Q4_0")),
    "attn_k": (WIDTH, WIDTH, ("Q4_K", "F16")),
    "attn_v": (WIDTH, WIDTH, ("Q6_K", "Q8_0")),
    "attn_output": (WIDTH, WIDTH, ("Q5_K", "Q4_1")),
    "ffn_gate": (WIDTH, INNER, ("Q4_0", "Q4_K")),
    "ffn_up": (WIDTH, INNER, ("Q4_1", "Q5_K")),
    "ffn_down": (INNER, WIDTH, ("F16", "Q6_K")),
}

# A role opens a message as a token of its own, and another one ends it.
OPEN, END = "<|message|>", "<|end|>"
TEMPLATE = (
    "{% for message in messages %}<|message|>{{ message.role }}: {{ message.content }}<|end|>"
    "{% endfor %}{% if add_generation_prompt %}<|message|>assistant: {% endif %}"
)


def byte_tokens():
    """Returns the 256 bytes as byte-level BPE spells them: printable ones as they are."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = iter(range(256, 512))
    return [chr(byte) if byte in printable else chr(next(others)) for byte in range(256)]


def string(text):
    raw = text.encode()
    return struct.pack("<Q", len(raw)) + raw


def value(kind, what):
    return string(what) if kind == STRING else struct.pack({U32: "<I", I32: "<i", F32: "<f"}[kind], what)


def pair(key, kind, what):
    if not isinstance(what, list):
        return string(key) + struct.pack("<I", kind) + value(kind, what)
    head = string(key) + struct.pack("<IIQ", ARRAY, kind, len(what))
    return head + b"".join(value(kind, one) for one in what)


def metadata():
    """Returns the key-value section, each pair in bytes."""
    tokens = [*byte_tokens(), "th", OPEN, END]
    kinds = [CONTROL_TOKEN if token in (OPEN, END) else NORMAL_TOKEN for token in tokens]
    return len(tokens), [
        pair("general.architecture", STRING, "llama"),
        pair("general.name", STRING, "tiny"),
        pair("llama.block_count", U32, LAYERS),
        pair("llama.context_length", U32, CONTEXT),
        pair("llama.embedding_length", U32, WIDTH),
        pair("llama.feed_forward_length", U32, INNER),
        pair("llama.attention.head_count", U32, HEADS),
        pair("llama.attention.head_count_kv", U32, HEADS),
        pair("llama.attention.layer_norm_rms_epsilon", F32, 1e-5),
        pair("llama.rope.dimension_count", U32, WIDTH // HEADS),
        pair("tokenizer.ggml.model", STRING, "gpt2"),
        pair("tokenizer.ggml.pre", STRING, "gpt-2"),
        pair("tokenizer.ggml.tokens", STRING, tokens),
        pair("tokenizer.ggml.token_type", I32, kinds),
        pair("tokenizer.ggml.merges", STRING, ["t h"]),
        pair("tokenizer.ggml.bos_token_id", U32, tokens.index(OPEN)),
        pair("tokenizer.ggml.eos_token_id", U32, tokens.index(END)),
        pair("tokenizer.chat_template", STRING, TEMPLATE),
    ]


def random_weights(chance, kind, count):
    """Returns so many weights of a kind, in bytes."""
    _, block, scales, rest, rest_first = KINDS[kind]
    if scales is None:
        return b"".join(struct.pack("<e", chance.gauss(0, SPREAD)) for _ in range(count))
    head = struct.pack(f"<{len(scales)}e", *scales)
    # No file has the one byte whose negative is none.
    bodies = (chance.randbytes(rest).replace(b"\x80", b"\0") for _ in range(count // block))
    return b"".join(body + head if rest_first else head + body for body in bodies)


def tensors(vocabulary):
    """Gives the name, shape and kind of each tensor."""
    yield "token_embd.weight", (WIDTH, vocabulary), "Q8_0"
    yield "output.weight", (WIDTH, vocabulary), "Q6_K"
    yield "output_norm.weight", (WIDTH,), "F32"
    for layer in range(LAYERS):
        for norm in ("attn_norm", "ffn_norm"):
            yield f"blk.{layer}.{norm}.weight", (WIDTH,), "F32"
        for name, (columns, rows, kinds) in MATRICES.items():
            yield f"blk.{layer}.{name}.weight", (columns, rows), kinds[layer]


def pad(raw):
    return raw + b"\0" * (-len(raw) % ALIGNMENT)


def main(target):
    chance = random.Random(7)
    vocabulary, pairs = metadata()
    table, data = [], b""
    for name, shape, kind in tensors(vocabulary):
        number = 0 if kind == "F32" else KINDS[kind][0]
        dimensions = struct.pack(f"<I{len(shape)}Q", len(shape), *shape)
        table.append(string(name) + dimensions + struct.pack("<IQ", number, len(data)))
        ones = struct.pack(f"<{WIDTH}f", *[1.0] * WIDTH)
        data += pad(ones if kind == "F32" else random_weights(chance, kind, prod(shape)))
    head = b"GGUF" + struct.pack("<IQQ", 3, len(table), len(pairs)) + b"".join(pairs + table)
    target.write_bytes(pad(head) + data)


if len(sys.argv) != 2:
    raise SystemExit(__doc__)
main(Path(sys.argv[1]))
