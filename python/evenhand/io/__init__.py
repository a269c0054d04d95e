"""Files of other tools as data, and rankings in other tools.

Each ``read_…`` returns :class:`Data`, which stands wherever a call takes data::

    logs = sorted(pathlib.Path("logs").glob("*.eval"))
    evenhand.rank(evenhand.io.read_inspect(logs), judge="openai:gpt-4.1-mini")

What a file holds beside responses is left out, and a warning says how much. A file that cannot be
used raises :class:`evenhand.InputError` with its name, the field and what was expected.
"""

from evenhand._data import Data
from evenhand.io._inspect import read_inspect
from evenhand.io._llm_comparator import read_llm_comparator, write_llm_comparator
from evenhand.io._lm_eval import read_lm_eval
from evenhand.io._openai_evals import read_openai_evals
from evenhand.io._promptfoo import read_promptfoo
from evenhand.io._traces import read_langfuse, read_phoenix
from evenhand.io._tracking import log_mlflow, log_wandb

__all__ = [
    "Data",
    "log_mlflow",
    "log_wandb",
    "read_inspect",
    "read_langfuse",
    "read_llm_comparator",
    "read_lm_eval",
    "read_openai_evals",
    "read_phoenix",
    "read_promptfoo",
    "write_llm_comparator",
]
