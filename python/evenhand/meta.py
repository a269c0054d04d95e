"""How well judges and benchers agree with people: the commands ``evenhand meta …``."""

from typing import TYPE_CHECKING

from evenhand._commands import meta_bencher as bencher
from evenhand._commands import meta_conformal as conformal
from evenhand._commands import meta_consistency as consistency
from evenhand._commands import meta_fit as fit
from evenhand._commands import meta_judge as judge
from evenhand._commands import meta_people as people
from evenhand._commands import meta_select as select
from evenhand._commands import meta_self_preference as self_preference
from evenhand._commands import meta_study as study
from evenhand._commands import meta_translations as translations
from evenhand._commands import meta_wordings as wordings

__all__ = [
    "bencher",
    "conformal",
    "consistency",
    "fit",
    "judge",
    "people",
    "select",
    "self_preference",
    "study",
    "translations",
    "wordings",
]

# A type checker would believe any name.
if not TYPE_CHECKING:

    def __getattr__(name):
        from evenhand._wording import no_attribute

        raise no_attribute(__name__, name, __all__)
