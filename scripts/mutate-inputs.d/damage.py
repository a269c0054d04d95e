"""How bytes are damaged: each way takes a random source, the bytes, and the sound files of other kinds."""

import gzip
import re

LONGEST = 400_000  # bytes of a mutated text: copies of copies must not grow without end

NUMBERS = (
    b"0", b"-0", b"-1", b"1e308", b"-1e308", b"1e999", b"5e-324", b"1e-999", b"NaN", b"-Infinity", b"9223372036854775807", b"9223372036854775808",
    b"-9223372036854775809", b"18446744073709551616", b"4294967296", b"9" * 400, b"0." + b"0" * 400 + b"1", b"1_000", b"0x10", b"01", b".5", b"5.", b"true",
)  # fmt: skip
STRINGS = (
    rb'""', rb'" "', rb'"\ud800"', rb'"\u0000"', rb'"\u001b[2J\u202e"', rb'"$ERROR$"', rb'"null"', rb'"=1+1"', rb'"../../x"', rb'"/dev/zero"', rb'"a\nb"',
    b'"' + b"x" * 50_000 + b'"', b'"' + "é\u2028\u200b".encode() * 3_000 + b'"', b'"\\', b"null", b"[]", b"{}", b"[null]", b'{"a":1}',
)  # fmt: skip
NO_TEXT = (
    b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\x00", b"\xe2\x82", b"\xef\xbb\xbf", b"\x1b]0;x\x07", b"\r", b"\xe2\x80\xa8",
)  # fmt: skip
NESTS = ((b"[", b"]"), (b'{"a":', b"}"), (b"(", b")"), (b'"', b'"'), (b"[[", b"]]"))

VALUE = re.compile(rb'"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null')
NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")
KEY = re.compile(rb'"[^"\\]*"\s*:\s*(?:"(?:[^"\\]|\\.)*"|[^,{}\[\]]+)')


def replace_match(draw, data, pattern, choose):
    found = list(pattern.finditer(data))
    if not found:
        return data
    match = draw.choice(found)
    return data[: match.start()] + choose(match[0]) + data[match.end() :]


def flip_bits(draw, data, _):
    data = bytearray(data)
    for _ in range(draw.choice((1, 1, 2, 8, 64))):
        data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
    return bytes(data)


def a_range(draw, data):
    start = draw.randrange(len(data))
    return start, min(len(data), start + draw.choice((1, 2, 4, 8, 64, 512, 8192)))


def cut(draw, data, _):
    start, end = a_range(draw, data)
    return draw.choice((data[:start], data[start:], data[:start] + data[end:], data[:start] + data[end:]))


def copy(draw, data, _):
    start, end = a_range(draw, data)
    at = draw.randrange(len(data))
    return data[:at] + data[start:end] * draw.choice((1, 1, 2, 100)) + data[at:]


def splice(draw, data, others):
    other = draw.choice(others)
    start, end = a_range(draw, other)
    at, until = a_range(draw, data)
    return data[:at] + other[start:end] + data[draw.choice((at, until)) :]


def put_number(draw, data, _):
    return replace_match(draw, data, NUMBER, lambda _: draw.choice(NUMBERS))


def put_value(draw, data, _):
    return replace_match(draw, data, VALUE, lambda _: draw.choice(STRINGS + NUMBERS))


def swap_values(draw, data, others):
    given = [match[0] for match in VALUE.finditer(draw.choice((data, draw.choice(others))))] or [b"null"]
    return replace_match(draw, data, VALUE, lambda _: draw.choice(given))


def nest(draw, data, _):
    opened, closed = draw.choice(NESTS)
    depth = draw.choice((1, 2, 100, 127, 128, 129, 20_000))
    closed = draw.choice((closed, closed, b""))
    return replace_match(draw, data, VALUE, lambda value: opened * depth + value + closed * depth)


def double_key(draw, data, _):
    again = lambda pair: pair + b", " + replace_match(draw, pair, VALUE, lambda key: key) + draw.choice((b"", b"0"))
    return replace_match(draw, data, KEY, again)


def drop_key(draw, data, _):
    return replace_match(draw, data, KEY, lambda _: draw.choice((b"", b'"zzz": 1')))


def put_no_text(draw, data, _):
    at = draw.randrange(len(data))
    return data[:at] + draw.choice(NO_TEXT) * draw.choice((1, 1, 3)) + data[at:]


def move_lines(draw, data, _):
    lines = data.split(b"\n")
    at, to = draw.randrange(len(lines)), draw.randrange(len(lines))
    how = draw.randrange(6)
    if how == 0:
        lines.insert(to, lines[at])
    elif how == 1:
        del lines[at]
    elif how == 2:
        lines[at], lines[to] = lines[to], lines[at]
    elif how == 3:
        lines[at:at] = [b""] * draw.choice((1, 3))
    elif how == 4:
        lines[at:at] = [lines[at]] * min(2_000, LONGEST // (len(lines[at]) + 1))
    else:
        lines[at] = lines[at].replace(b" ", draw.choice((b"\t", b"", b"\xc2\xa0")))
    return draw.choice((b"\n", b"\n", b"\n", b"\r\n", b"\r")).join(lines)


def write_otherwise(draw, data, _):
    text = data.decode(errors="replace")
    how = draw.randrange(5)
    if how < 3:
        return text.encode(("utf-16", "utf-16-be", "utf-8-sig")[how], errors="replace")
    return (
        gzip.compress(data, mtime=0)
        if how == 3
        else draw.choice((b"sep=;\n", b"# ", b"[", b"\n\n", b"PK\x03\x04", b"PAR1", b"\x1f\x8b")) + data
    )


BYTES = (flip_bits, cut, copy, splice, put_no_text)
TEXTS = (
    *BYTES,
    put_number,
    put_number,
    put_value,
    put_value,
    swap_values,
    swap_values,
    nest,
    double_key,
    drop_key,
    move_lines,
    move_lines,
    write_otherwise,
)


def damage(draw, data, others, ways):
    for _ in range(draw.choice((1, 1, 1, 2, 3, 6))):
        if data:
            data = draw.choice(ways)(draw, data, others)[:LONGEST]
    return data
