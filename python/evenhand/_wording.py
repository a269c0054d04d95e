"""From the words of a command line to those of Python: one place, for errors, notes and help."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from evenhand._values import BETWEEN, called, keyword, listed

#: A flag, or a keyword in its place, in a message, with what follows.
_NAMED = re.compile(
    r"(?:--(?P<flag>[a-z][a-z-]*[a-z])(?![\w-])|(?<![\w.`])(?P<keyword>[a-z][a-z_]*[a-z])=(?= ))"
    r"(?P<place>[ =]<[^<>\s]+>(?:\.{3})?)?(?:[ =](?P<value>[a-z]+:[A-Z]+(?![\w@:/\[.-])|[a-z][a-z-]*|(?!A\b(?!,))[A-Z][A-Z_]*(?:,[A-Z][A-Z_]*)*)\b)?"
)
#: A command that a message says to run, or the column of one with what it does.
_COMMAND = re.compile(r"(?<!`)`evenhand (?P<line>[^`\n]+)`(?!`)")
_HINT = re.compile(r"(?P<indent> +)evenhand (?P<line>\S+(?: \S+)*)(?P<does> {2,}\S.*)?")
#: What stands for a value, such as ``RUN`` and ``FILE...``.
_PLACEHOLDER = re.compile(r"([A-Z][A-Z0-9_]*)(?:\.{3})?")
#: A line of a table that the command words: a label and a text, a text that goes on below one, or a
#: warning or note by itself. Rows have more cells, or begin with a number or a name.
_WORDED = re.compile(r"(?P<label> ?[a-z][a-z ]*? {2,}| {8,}|(?:warning|note): )\S+(?: \S+)*")
#: Labels whose texts are names.
_OF_NAMES = {"judge", "judges", "protocol", "protocols", "system", "systems", "data", "run"}
#: Values that are no choices of a table and stand in texts.
_SPOKEN = {("design", "adaptive"), ("similarity", "embedding")}
#: What only a command line has.
_USAGE = re.compile(r"\n+(?:Usage: .*|For more information, try '--help'\.)\s*$", re.DOTALL)
#: What the program found to be spelt nearly so, in its quotes.
_MEANT = re.compile(r"did you mean `([^`]+)`\?")
_TIP = re.compile(r"\n+  tip: (.*)", re.DOTALL)
_INVALID = re.compile(
    r"invalid value '(?P<value>.*?)' for '(?:--(?P<flag>[\w-]+)[^']*|[^']*)'"
    r"(?:: (?P<reason>.*)|\n  \[possible values: (?P<choices>[^\]]*)\])?$",
    re.DOTALL,
)
_MISSING = re.compile(r"the following required arguments were not provided:\n(?P<names>(?:  .*\n?)+)$")
_VALUE = re.compile(r"^(?P<name>[a-z][a-z_]*)= ?(?P<value>[^:]+(?::[^ ]+)*): ")
_QUOTED = re.compile(r"(?<![\w.])([a-z][a-z_]*)= (?=['\"`])")
_REASONS = {
    "invalid digit found in string": "expected a whole number from 0",
    "invalid float literal": "expected a number",
    "cannot parse integer from empty string": "expected a whole number from 0",
    "cannot parse float from empty string": "expected a number",
}
#: Words of help that are of a command line.
_WORDS = (
    ("Exit with 3 if", "Say in .condition if"),
    ("Exit with 1 if", "Raise EvenhandError if"),
    ("Print only errors on stderr", "Show no progress, and give no warnings"),
    ("flags override it", "keywords override it"),
)

Settings = Mapping[str, Mapping[str, Any]]


def settings_of(command: Mapping[str, Any]) -> Settings:
    """Return the settings of a command by their names."""
    return {setting["name"]: setting for setting in command["settings"]}


def in_python(text: str, settings: Settings) -> str:
    """Name settings as keywords with their values: ``--ci none`` is ``ci="none"``, and commands as
    calls.
    """
    for theirs, ours in _WORDS:
        text = text.replace(theirs, ours)
    return _spell_commands(text, lambda said: _spell_all(said, settings))


def _spell_commands(text: str, spell: Callable[[str], str]) -> str:
    """Write commands in a text as calls, and what is between them as `spell` does."""
    spelt, at = "", 0
    for command in _COMMAND.finditer(text):
        spelt += spell(text[at : command.start()]) + f"`{call_of(command['line'])}`"
        at = command.end()
    return spelt + spell(text[at:])


def _spell_all(text: str, settings: Settings) -> str:
    text = _NAMED.sub(lambda named: _spell(named, settings), text)
    places = {name.upper(): f"give {keyword(name)}=" for name, one in settings.items() if one.get("positional")}
    text = re.sub(r"\bgive ([A-Z]+)\b", lambda said: places.get(said[1], said[0]), text)
    return _QUOTED.sub(r"\1=", text)


def call_of(line: str) -> str:
    """Write a command line as the call in its place: ``compare RUN --pair A,B`` is
    ``eh.compare(RUN, pair=("A", "B"))``. What has no function stays a command.
    """
    from evenhand._commands import RESULTS, by_place, read_table

    as_command = f"python -m evenhand {line}"
    # Names with a comma, and a Windows path, are left to the shell.
    if re.search(r"""\\|, |['"],|,['"]""", line):
        return as_command
    functions = {command: called(name) for name, (command, _) in RESULTS.items()}
    words = re.findall(r"[^\s'\"]+|'[^']*'|\"[^\"]*\"", line)
    name = next((" ".join(words[:n]) for n in (2, 1) if " ".join(words[:n]) in functions), None)
    if name is None:
        return as_command
    settings = settings_of(read_table()[name])
    places = [one for one in settings if settings[one]["positional"]]
    values: dict[str, list[str]] = {}
    setting = ""
    for word in words[len(name.split()) :]:
        flag = re.fullmatch(r"--([a-z-]+)|([a-z_]+)=", word)
        if flag:
            setting = flag[1] or flag[2].replace("_", "-")
            values[setting] = []
        elif setting and (not values[setting] or settings.get(setting, {}).get("many")):
            values[setting].append(word)
        elif not places:
            return as_command
        else:
            setting = places[0] if settings[places[0]]["many"] else places.pop(0)
            values.setdefault(setting, []).append(word)
    is_shell = not {">", "|", "…"}.isdisjoint(words) or re.sub(r"\s", "", line) != re.sub(r"\s", "", "".join(words))
    if is_shell or not values.keys() <= settings.keys():
        return as_command
    form = values.pop("format", None)
    end = "" if form is None else ".csv()" if form == ["csv"] else ".to_dict()"
    # Those without a name are first, as in the signature.
    values = dict(sorted(values.items(), key=lambda one: not by_place(settings[one[0]])))
    written = [
        ("" if by_place(settings[one]) else f"{keyword(one)}=") + _write(one, texts, settings[one])
        for one, texts in values.items()
    ]
    return f"eh.{functions[name]}({', '.join(written)}){end}"


def _write(name: str, texts: list[str], setting: Mapping[str, Any]) -> str:
    """Write the values of a setting as Python has them: what stands for a value without quotes."""
    if setting.get("kind") == "switch":
        return "True"
    marks = BETWEEN.get(keyword(name), (",",) if setting.get("separator") else ())
    parts: list[str] = []
    for text in texts:
        split = re.split("|".join(map(re.escape, marks)), text) if marks else [text]
        is_whole = len(split) == 1 or text[0] in "'\""
        for part in [text.strip("'\"")] if is_whole else split:
            stands = is_whole and _PLACEHOLDER.fullmatch(part)
            is_number = setting.get("kind") in ("integer", "number")
            parts.append(stands[1] if stands else part if is_number else f'"{part}"')
    if len(parts) < 2:
        return parts[0] if parts else "..."
    return f"({', '.join(parts)})" if keyword(name) in BETWEEN else f"[{', '.join(parts)}]"


def table_in_python(table: str, settings: Settings) -> str:
    """Name the settings of a command in the lines of its table that the command words itself. Rows have
    names and texts of the caller's, and stay as they are.
    """

    def spell(named: re.Match[str]) -> str:
        flag = named["flag"] or named["keyword"].replace("_", "-")
        return _spell(named, settings) if flag in settings or flag == "format" else named[0]

    lines = table.split("\n")
    for at, line in enumerate(lines):
        worded = _WORDED.fullmatch(line.rstrip())
        hint = _HINT.fullmatch(line)
        if hint:
            lines[at] = f"{hint['indent']}{call_of(hint['line'])}{hint['does'] or ''}"
        elif worded and worded["label"].strip() not in _OF_NAMES:
            lines[at] = _spell_commands(line, lambda said: _NAMED.sub(spell, said))
    return "\n".join(lines)


def _spell(named: re.Match[str], settings: Settings) -> str:
    flag = named["flag"] or named["keyword"].replace("_", "-")
    value = named["value"]
    if flag == "format" and value in ("json", "csv"):
        return ".to_dict()" if value == "json" else ".csv()"
    setting = settings.get(flag, {})
    rest = f" {value}" if value else ""
    if setting.get("kind") == "switch":
        return f"{keyword(flag)}=True{rest}"
    if value and (value in setting.get("choices", ()) or (flag, value) in _SPOKEN or ":" in value):
        return f'{keyword(flag)}="{value}"'
    if value and value.isupper():
        return f"{keyword(flag)}={_write(flag, [value], setting)}"
    return f"{keyword(flag)}={rest}"


def word_error(message: str, command: Mapping[str, Any], given: Mapping[str, Any]) -> str:
    """Word the error of a call: the function, the keyword and the value, what was expected, and what is
    spelt nearly so.
    """
    called = f"{command.get('function', keyword(command['name']).replace(' ', '_'))}()"
    settings = settings_of(command)
    message = _USAGE.sub("", message)
    message = _MEANT.sub(lambda said: f"did you mean {said[1]!r}?", message)
    tip = _TIP.search(message)
    message = _TIP.sub("", message)
    missing = _MISSING.match(message)
    if missing:
        flags = re.findall(r"--([\w-]+)", missing["names"])
        places = [one["name"] for one in command["settings"] if one["positional"]]
        # A tip that begins with another setting says what is wrong by itself.
        if tip and tip[1].startswith("--"):
            return f"{called}: {in_python(tip[1], settings)}"
        return word_missing(called, flags or places[:1], settings, tip[1] if tip else None)
    invalid = _INVALID.match(message)
    if invalid:
        places = [one["name"] for one in command["settings"] if one["positional"]]
        # The command line names a place by what stands there, and not by the parameter.
        meant = (one for one in places if invalid["value"] in map(str, listed(given.get(keyword(one)))))
        name = invalid["flag"] or next(meant, places[0] if places else "")
        choices = settings.get(name, {}).get("choices") or []
        if choices:
            reason = f"expected one of {', '.join(choices)}"
        else:
            reason = _REASONS.get(invalid["reason"] or "", invalid["reason"] or "it cannot be used")
        found = f"{keyword(name)}={invalid['value']!r}: {in_python(reason, settings)}"
        return f"{called}: {found}{did_you_mean(invalid['value'], choices)}"
    spelt = in_python(message, settings)
    hint = _nearest_in(spelt, given)
    spelt = _VALUE.sub(lambda said: _quote_given(said, given), spelt)
    # What is wrong with a file begins with its name; what is wrong with a setting, with its function.
    begins = re.match(r"([a-z][a-z_]*)=", spelt)
    of_setting = begins is not None and begins[1] in {keyword(name) for name in settings}
    return f"{called}: {spelt}{hint}" if of_setting else f"{spelt}{hint}"


def word_missing(called: str, names: list[str], settings: Settings, tip: str | None = None) -> str:
    """Say which settings a call lacks, and what to do where that is known; else what the first is."""
    about = in_python(tip or settings[names[0]]["help"].split("\n\n")[0], settings)
    are = "is" if len(names) == 1 else "are"
    return f"{called}: {' and '.join(f'{keyword(name)}=' for name in names)} {are} missing: {about}"


def _quote_given(said: re.Match[str], given: Mapping[str, Any]) -> str:
    """Write a value that was given as Python has it: ``protocol='pairwize': ``."""
    name, value = said["name"], said["value"]
    values = {str(one): one for one in listed(given.get(name))}
    if value not in values:
        return said[0]
    return f"{name}={value if isinstance(values[value], bool) else repr(value)}: "


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Say what is spelt nearly so, if anything is."""
    close = get_close_matches(word.lower().replace("_", "-"), list(known), 1)
    return f"; did you mean {close[0]!r}?" if close else ""


def no_attribute(module: str, name: str, known: Iterable[str]) -> AttributeError:
    """Return the error for a name that a module does not have."""
    said = f"module {module!r} has no attribute {name!r}"
    # Without `name` and `obj`: with them, Python adds a guess of its own.
    return AttributeError(said if name.startswith("_") else said + did_you_mean(name, known))


def _nearest_in(message: str, given: Mapping[str, Any]) -> str:
    """Find what is spelt nearly as a value that a message refuses, in what it says is expected."""
    first, *lines = message.splitlines() or [""]
    # A message that has its remedy needs no guess.
    if lines or " are given as " in first or "did you mean" in first:
        return ""
    for name, value in given.items():
        for one in listed(value) if isinstance(value, (str, list, tuple)) else []:
            if not isinstance(one, str) or len(one) < 3:
                continue
            refused = re.search(
                rf"(?:\bno \w+ |there is no |has no |{name}= ?)[`\"']?{re.escape(one)}(?![\w-])", first
            )
            if refused:
                words = re.findall(r"[\w][\w.:/-]*[\w]", first[refused.end() :])
                words = [word for word in words if word != one]
                # Two letters that changed places make short names look unlike.
                swapped = [word for word in words if len(one) > 2 and sorted(word) == sorted(one)]
                close = swapped or get_close_matches(one, words, 1, 0.75)
                if close:
                    return f"; did you mean {close[0]!r}?"
    return ""
