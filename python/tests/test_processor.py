"""An older processor is told what it lacks, before the native module is loaded."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from evenhand import _processor

#: Flags of real processors, cut to what is looked at.
NEHALEM = "processor\t: 0\nflags\t\t: fpu sse sse2 pni ssse3 cx16 sse4_1 sse4_2 popcnt lahf_lm\n"
HASWELL = NEHALEM.replace("popcnt", "popcnt avx avx2 bmi1 bmi2 f16c fma abm movbe")

PORTABLE = ["avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sse3", "fxsr"]


def test_what_a_processor_lacks_is_named() -> None:
    assert _processor.missing_features(PORTABLE, HASWELL) == []
    lacking = _processor.missing_features(PORTABLE, NEHALEM)
    assert lacking == ["avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "lzcnt", "movbe"]
    assert _processor.missing_features([*PORTABLE, "avx512f"], HASWELL) == ["avx512f"]
    assert _processor.missing_features(PORTABLE, "") == []


def test_an_older_one_is_refused_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text(NEHALEM, encoding="ascii")
    monkeypatch.setattr(_processor, "CPUINFO", cpuinfo)
    monkeypatch.setattr(_processor, "_compiled_for", lambda: (PORTABLE, "here"))
    with pytest.raises(ImportError, match="with avx, avx2, .*without PROCESSORS=here"):
        _processor.check_processor()
    monkeypatch.setattr(_processor, "_compiled_for", lambda: (PORTABLE, "any"))
    with pytest.raises(ImportError, match="with avx, avx2, .*x86-64-v2.*`make wheel PROCESSORS=here`"):
        _processor.check_processor()
    cpuinfo.write_text(HASWELL, encoding="ascii")
    _processor.check_processor()


def test_the_program_checks_the_same_features() -> None:
    source = Path(__file__).parents[2] / "crates" / "cli" / "src" / "processor.rs"
    listed = source.read_text(encoding="utf-8").split("features! {\n", 1)[1].split("};", 1)[0]
    names = re.findall(r'"([^"]+)"', listed)
    of_program = dict(zip(names[::2], names[1::2], strict=True))
    assert of_program == {
        name: _processor.LINUX_NAMES.get(name, name) for name in _processor.CHECKED
    }
    assert set(_processor.LINUX_NAMES) <= _processor.CHECKED


def test_this_processor_has_what_this_wheel_was_compiled_for() -> None:
    _processor.check_processor()
