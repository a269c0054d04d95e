"""Ranks language-model systems with language-model judges, and says how far the ranking can be
trusted.

Every command of ``evenhand`` is a function, and every flag a keyword of the same name:
``evenhand rank --data DIR --judge JUDGE --max-calls 100`` is
``evenhand.rank("DIR", judge="JUDGE", max_calls=100)``. Results are those of the command to the byte
(``.json()``). Calls block, release the interpreter while they run, and touch no event loop; Ctrl-C
stops a run in good order, and the same call goes on from there.
"""

from evenhand._processor import check_processor

check_processor()

from evenhand import batch, meta, stats
from evenhand._commands import align, audit, check, estimate, judge, leaderboard, rank, runs
from evenhand._evenhand import __version__
from evenhand.errors import EvenhandError, EvenhandWarning, InputError, JudgeError, Stopped
from evenhand.judges import Judge, Reply, Request, batched
from evenhand.protocols import Ask, PythonProtocol, Refused, Unparsed, View, protocol
from evenhand.results import Difference, Judgments, Lines, Ranking, Report, Row

__all__ = [
    "Ask",
    "Difference",
    "EvenhandError",
    "EvenhandWarning",
    "InputError",
    "JudgeError",
    "Judge",
    "Judgments",
    "Lines",
    "PythonProtocol",
    "Ranking",
    "Refused",
    "Reply",
    "Report",
    "Request",
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
    "estimate",
    "judge",
    "leaderboard",
    "meta",
    "protocol",
    "rank",
    "runs",
    "stats",
]
