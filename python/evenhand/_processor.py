"""Whether this processor has what the native module was compiled for: asked before it is loaded, so
that an older one is told, and does not die of an instruction that it does not know.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

#: What Linux calls a feature of rustc's, where the names differ.
LINUX_NAMES = {
    "sse3": "pni",
    "sse4.1": "sse4_1",
    "sse4.2": "sse4_2",
    "lzcnt": "abm",
    "avxvnni": "avx_vnni",
    "avx512bf16": "avx512_bf16",
    "avx512fp16": "avx512_fp16",
    "avx512vnni": "avx512_vnni",
    "avx512vbmi2": "avx512_vbmi2",
    "avx512bitalg": "avx512_bitalg",
    "avx512vpopcntdq": "avx512_vpopcntdq",
}
#: The features that instructions of compiled code belong to.
CHECKED = frozenset({
    "sse3", "ssse3", "sse4.1", "sse4.2", "popcnt", "avx", "avx2", "bmi1", "bmi2", "f16c", "fma",
    "lzcnt", "movbe", "avxvnni", "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl",
    "avx512bf16", "avx512fp16", "avx512vnni", "avx512vbmi", "avx512vbmi2", "avx512bitalg",
    "avx512vpopcntdq", "gfni", "vaes", "vpclmulqdq",
})  # fmt: skip

CPUINFO = Path("/proc/cpuinfo")

#: What to do, by the processors that the wheel was made for (`scripts/make-wheel`).
ADVICE = {
    "any": "it needs an x86-64-v2 processor, as made since 2009; elsewhere, compile it on the spot "
    "with `make wheel PROCESSORS=here`",
    "here": "install a wheel made by `make wheel` without PROCESSORS=here",
}


def missing_features(compiled: Iterable[str], cpuinfo: str) -> list[str]:
    """List the features that code was compiled for and that a processor lacks.

    Args:
        compiled: as rustc names them.
        cpuinfo: the beginning of Linux's ``/proc/cpuinfo``.
    """
    lines = [line for line in cpuinfo.splitlines() if line.startswith("flags")]
    if not lines:
        return []
    has = set(lines[0].split(":", 1)[1].split())
    checked = sorted(CHECKED.intersection(compiled))
    return [name for name in checked if LINUX_NAMES.get(name, name) not in has]


def check_processor() -> None:
    """Refuse a processor that is older than the one the wheel was made for.

    Raises:
        ImportError: what is missing, and what to do.
    """
    compiled, made_for = _compiled_for()
    if not compiled or sys.platform != "linux":
        return
    missing = missing_features(compiled, _read_cpuinfo())
    if missing:
        raise ImportError(
            f"this evenhand was compiled for a processor with {', '.join(missing)}, which this one "
            f"lacks; {ADVICE[made_for]}"
        )


def _compiled_for() -> tuple[list[str], str]:
    """Return what `scripts/make-wheel` wrote down: the features that the code was compiled for, and
    whether for `any` processor or the one `here`. No features in a source tree.
    """
    try:
        from evenhand._compiled_for import FEATURES, PROCESSORS
    except ImportError:
        return [], "here"
    return list(FEATURES), PROCESSORS


def _read_cpuinfo() -> str:
    try:
        with CPUINFO.open(encoding="ascii", errors="replace") as file:
            # The first processor's entry is enough, and on large machines the file is long.
            return file.read(8192)
    except OSError:
        return ""
