"""Ranks language-model systems with language-model judges, and says how far the ranking can be
trusted.

Commands of ``evenhand`` that judge, rank or read are functions, and every flag a keyword of the same name:
``evenhand rank --data DIR --judge JUDGE --max-calls 100`` is
``evenhand.rank("DIR", judge="JUDGE", max_calls=100)``. Results are those of the command to the byte
(``.json()``). Calls block, release the interpreter while they run, and touch no event loop; Ctrl-C
stops a run in good order, and the same call goes on from there.
"""

import sys as _sys
from importlib import import_module as _import_module
from typing import TYPE_CHECKING

from evenhand._processor import check_processor

# Before the native module is loaded, whichever way.
check_processor()

if TYPE_CHECKING:
    from evenhand import batch, errors, io, judges, meta, protocols, results, rewards, stats, store
    from evenhand._commands import (
        align,
        audit,
        check,
        cite,
        compare,
        estimate,
        judge,
        judgments,
        leaderboard,
        merge,
        migrate,
        models_try,
        plan,
        rank,
        runs,
        show,
    )
    from evenhand._evenhand import __version__
    from evenhand.errors import EvenhandError, EvenhandWarning, InputError, JudgeError, Stopped
    from evenhand.judges import Judge, Reply, Request, batched
    from evenhand.protocols import Ask, PythonProtocol, Refused, Unparsed, View, protocol
    from evenhand.results import (
        Change,
        Comparison,
        Difference,
        Figures,
        Gate,
        Judgments,
        Lines,
        Plan,
        Ranking,
        Report,
        Row,
    )
    from evenhand.rewards import Reward, reward

__all__ = [
    "Ask",
    "Change",
    "Comparison",
    "Difference",
    "EvenhandError",
    "EvenhandWarning",
    "Figures",
    "Gate",
    "InputError",
    "JudgeError",
    "Judge",
    "Judgments",
    "Lines",
    "Plan",
    "PythonProtocol",
    "Ranking",
    "Refused",
    "Reply",
    "Report",
    "Request",
    "Reward",
    "Row",
    "Stopped",
    "Unparsed",
    "View",
    "__version__",
    "align",
    "audit",
    "batch",
    "batched",
    "check",
    "cite",
    "compare",
    "errors",
    "estimate",
    "io",
    "judge",
    "judges",
    "judgments",
    "leaderboard",
    "merge",
    "meta",
    "migrate",
    "models_try",
    "plan",
    "protocol",
    "protocols",
    "rank",
    "results",
    "reward",
    "rewards",
    "runs",
    "show",
    "stats",
    "store",
]

# Everything is imported when it is first used: pytest loads the plugin in every run of every
# project, and with it this file.
_PLACES = {
    "_commands": "align audit check cite compare estimate judge judgments leaderboard merge migrate models_try plan rank runs show",
    "_evenhand": "__version__",
    "errors": "EvenhandError EvenhandWarning InputError JudgeError Stopped",
    "judges": "Judge Reply Request batched",
    "protocols": "Ask PythonProtocol Refused Unparsed View protocol",
    "results": "Change Comparison Difference Figures Gate Judgments Lines Plan Ranking Report Row",
    "rewards": "Reward reward",
}
#: Commands that are no functions, nor a module of this package.
_OF_THE_TERMINAL = "aggregations baseline completions demo man mcp models prompts publish report site skill view".split()
_MODULES = ("batch", "errors", "io", "judges", "meta", "protocols", "results", "rewards", "stats", "store")

# A type checker reads the imports above; with this function it would believe any name.
if not TYPE_CHECKING:

    def __getattr__(name):
        if name in _MODULES:
            return _import_module(f"evenhand.{name}")
        for module, names in _PLACES.items():
            if name in names.split():
                found = getattr(_import_module(f"evenhand.{module}"), name)
                globals()[name] = found
                return found
        if name in _OF_THE_TERMINAL:
            said = f"{name} is a command only: run `python -m evenhand {name}`"
            # `from evenhand import view` asks from there, and drops the text of an AttributeError.
            is_import = _sys._getframe(1).f_code.co_name == "_handle_fromlist"
            raise ImportError(said) if is_import else AttributeError(said)
        from evenhand._wording import no_attribute

        raise no_attribute(__name__, name, [*__all__, *_OF_THE_TERMINAL])

    def __dir__():
        return sorted({*globals(), *__all__})
