"""How well judges and benchers agree with people: the commands ``evenhand meta …``."""

from evenhand._commands import meta_bencher as bencher
from evenhand._commands import meta_consistency as consistency
from evenhand._commands import meta_judge as judge
from evenhand._commands import meta_people as people
from evenhand._commands import meta_select as select
from evenhand._commands import meta_study as study

__all__ = ["bencher", "consistency", "judge", "people", "select", "study"]
