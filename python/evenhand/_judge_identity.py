"""Which judge a function of Python is: a digest of all that its verdicts can come from.

Replies are kept under a judge's identity and used again for a judge of the same identity. Its name
alone would not do: whoever edits a function and runs it again, as one does in a notebook, would be
given the verdicts of the function before. So the digest covers the code, constants, defaults,
keyword defaults and closure, the arguments of a partial, and the same of every function, class and
module of the user's that the code names, as far as they go. What is installed (the standard library,
packages) counts by its name. Nothing in it depends on memory addresses, on the order of a set, on
the place of a file or on the process; the bytecode differs between minor versions of Python.

Where something cannot be read, such as what an instance holds, there is no digest, and
:class:`Unreadable` says which part it is.

A judge may change what it reads, as one does that counts its calls. What a run left behind counts as
what was there before it, as long as nobody else has touched it.
"""

from __future__ import annotations

import collections
import dis
import enum
import functools
import importlib
import importlib.util
import re
import sys
import types
import weakref
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from pathlib import PurePath
from typing import Any


class Unreadable(Exception):
    """A part of a judge that no digest can cover. The text names the part."""


#: The digest of each function as a run left it, and the one that the run was made under.
_left: weakref.WeakKeyDictionary[Any, tuple[str, str]] = weakref.WeakKeyDictionary()


def identify_function(function: Any) -> str:
    """Return the digest of a function, or, where it is as a run left it, the one of that run.

    Raises:
        Unreadable: it has no digest.
    """
    digest = digest_function(function)
    try:
        left, before = _left.get(function, ("", ""))
    except TypeError:
        return digest
    return before if digest == left else digest


def leave_function(function: Any, before: str) -> None:
    """Remember that a run under the digest ``before`` has left a function as it is now."""
    try:
        _left[function] = (digest_function(function), before)
    except (TypeError, Unreadable):
        # It takes no reference, as a method, or cannot be read by now: then it is another judge.
        pass


def digest_function(function: Any) -> str:
    """Return the digest of a function, 16 hexadecimal digits: equal for the same code over the same
    values, in every process.

    Raises:
        Unreadable: it is, or names, something whose state cannot be read.
    """
    if not isinstance(function, _JUDGING):
        raise Unreadable(f"it is {_what_is(function)}")
    reader = _Reader(_top_module(function))
    try:
        reader.read(function, "it")
        reader.read_queue()
    except Unreadable:
        raise
    except Exception as error:
        # Foreign objects run code of their own when they are looked at.
        raise Unreadable(f"it cannot be read ({type(error).__name__}: {error})") from error
    return reader.hash.hexdigest()


_LruCache = type(functools.lru_cache(len))
#: What may judge and has a digest. Others are instances, whose state is their own, and functions of
#: other languages, whose code cannot be read.
_JUDGING: tuple[type[Any], ...] = (types.FunctionType, types.MethodType, functools.partial, _LruCache)
#: Values that are what they are written as.
_PLAIN = (type(None), bool, float, complex, bytes, type(...), type(NotImplemented), range)
#: Attributes of classes that Python makes by itself of the others.
_MADE_BY_PYTHON = frozenset({
    "__abstractmethods__", "__annotate__", "__annotate_func__", "__annotations__",
    "__annotations_cache__", "__dataclass_fields__", "__dataclass_params__", "__dict__",
    "__firstlineno__", "__module__", "__orig_bases__", "__parameters__", "__qualname__",
    "__static_attributes__", "__weakref__", "_abc_impl",
})  # fmt: skip
#: Parts of a class in C that are known by their place.
_DESCRIPTORS: tuple[type[Any], ...] = (
    types.WrapperDescriptorType,
    types.MethodDescriptorType,
    types.ClassMethodDescriptorType,
    types.GetSetDescriptorType,
    types.MemberDescriptorType,
    type(vars(collections.namedtuple("_Named", "field"))["field"]),
)


class _Reader:
    """Writes whatever a function is made of to a digest.

    Functions and classes that are met are numbered in their order and read later, so that those that
    name each other come to an end and long chains need no deep stack.
    """

    def __init__(self, own: str) -> None:
        self.hash = blake2b(digest_size=8)
        #: The package of the judge itself: it is read even where it is installed.
        self._own = own
        self._numbers: dict[int, int] = {}
        self._queue: collections.deque[tuple[Any, str]] = collections.deque()
        #: Containers and modules that are being read now: they may hold themselves.
        self._open: list[int] = []
        #: What was met, so that no other object gets its address.
        self._met: list[Any] = []

    def read_queue(self) -> None:
        """Read the functions and classes that were met and not read yet."""
        while self._queue:
            met, place = self._queue.popleft()
            if isinstance(met, types.FunctionType):
                self._read_function(met, place)
            else:
                self._read_class(met, place)

    def read(self, value: Any, place: str) -> None:
        """Read a value. ``place`` says for people where it stands."""
        kind = type(value)
        if kind in _PLAIN:
            self._write(kind.__name__, repr(value))
        elif kind is str:
            self._write("str", value)
        elif kind is int:
            self._write("int", f"{value:x}")
        elif kind in (list, tuple):
            self._read_many(kind.__name__, value, value, place)
        elif kind in (dict, types.MappingProxyType, collections.OrderedDict):
            pairs = (part for pair in value.items() for part in pair)
            self._read_many("dict", pairs, value, place)
        elif kind in (set, frozenset):
            self._read_set(value, place)
        elif kind is types.CodeType:
            self._read_code(value, place)
        elif kind is types.FunctionType or isinstance(value, type):
            self._meet(value, place)
        elif kind is types.ModuleType:
            self._write("module", value.__name__)
        else:
            self._read_object(value, place)

    def _read_object(self, value: Any, place: str) -> None:
        """Read an object of a class that is known to be no more than these of its attributes."""
        kind = type(value)
        name = f"{kind.__module__}.{kind.__qualname__}"
        if isinstance(value, types.MethodType):
            self._read_parts(name, (value.__func__, value.__self__), place)
        elif isinstance(value, (types.BuiltinMethodType, types.MethodWrapperType)):
            # `len` belongs to a module, the `get` of a table to the table.
            owner = value.__self__
            where = owner.__name__ if isinstance(owner, types.ModuleType) else owner
            self._read_parts(name, (value.__qualname__, where), place)
        elif isinstance(value, _DESCRIPTORS):
            self._write(name, getattr(value, "__qualname__", ""))
        elif kind in (functools.partial, functools.partialmethod):
            self._read_parts(name, (value.func, value.args, value.keywords), place)
        elif kind is _LruCache:
            self._read_parts(name, (value.__wrapped__, value.cache_parameters()), place)
        elif kind in (staticmethod, classmethod):
            self._read_parts(name, (value.__func__,), place)
        elif kind is property:
            self._read_parts(name, (value.fget, value.fset, value.fdel), place)
        elif kind is functools.cached_property:
            self._read_parts(name, (value.func,), place)
        elif kind is re.Pattern:
            self._read_parts(name, (value.pattern, value.flags), place)
        elif isinstance(value, enum.Enum):
            self._read_parts("enum", (kind, value.name, value.value), place)
        elif kind.__module__ == "numpy" and hasattr(value, "dtype") and not value.dtype.hasobject:
            self._read_parts(name, (value.dtype.str, value.shape, value.tobytes()), place)
        elif isinstance(value, PurePath) and _is_installed(kind.__module__, ""):
            self._write(name, str(value))
        elif kind.__module__ in ("datetime", "decimal", "fractions", "uuid", "typing", "types"):
            # Immutable, and written as what they are.
            self._write(name, repr(value))
        elif kind.__module__ == "dataclasses" or name == "logging.Logger":
            # Marks without a state, and what is written to a log is no verdict.
            self._write(name, "")
        elif name in ("evenhand.judges._Batched", "evenhand.judges.Judge"):
            self._read_parts(name, (value.function,), place)
        else:
            raise Unreadable(f"{place} is {_what_is(value)}")

    def _read_parts(self, name: str, parts: tuple[Any, ...], place: str) -> None:
        self._write(name, str(len(parts)))
        for part in parts:
            self.read(part, place)

    def _read_many(self, name: str, parts: Iterable[Any], container: Any, place: str) -> None:
        if id(container) in self._open:
            # It holds itself: by how many steps further up.
            self._write("again", str(self._open[::-1].index(id(container))))
            return
        self._open.append(id(container))
        self._write(name, str(len(container)))
        for part in parts:
            self.read(part, place)
        self._open.pop()

    def _read_set(self, value: Iterable[Any], place: str) -> None:
        """Read a set in an order of its own, since Python's differs from process to process."""
        digests = []
        for one in value:
            inner = _Reader(self._own)
            inner.read(one, place)
            if inner._numbers:
                raise Unreadable(f"{place} holds a set of functions or classes")
            digests.append(inner.hash.hexdigest())
        self._write("set", " ".join(sorted(digests)))

    def _meet(self, value: Any, place: str) -> None:
        """Read a function or a class by its name where it is installed, and later where it is not."""
        is_function = isinstance(value, types.FunctionType)
        module = value.__globals__.get("__name__") if is_function else value.__module__
        if _is_installed(str(module), self._own):
            name = value.__code__.co_name if is_function else value.__qualname__
            self._write("installed", f"{module}.{name}")
            # A wrapper of a package's holds the function that it wraps.
            if is_function and (value.__closure__ or value.__dict__ or value.__defaults__):
                self._read_held(value, place)
            return
        if id(value) not in self._numbers:
            self._numbers[id(value)] = len(self._numbers)
            self._met.append(value)
            self._queue.append((value, place))
        self._write("number", str(self._numbers[id(value)]))

    def _read_function(self, function: types.FunctionType, place: str) -> None:
        code = function.__code__
        self._write("function", code.co_name)
        self._read_code(code, place)
        self._read_held(function, place)
        known = function.__globals__
        built_in = known.get("__builtins__", {})
        built_in = built_in if isinstance(built_in, dict) else vars(built_in)
        attributes = sorted({name for one in _codes_in(code) for name in one.co_names})
        for name in sorted({name for one in _codes_in(code) for name in _globals_of(one)}):
            self._write("global", name)
            if name in known:
                self._read_named(known[name], attributes, f"its global {name}")
            else:
                self._write("built-in", str(name in built_in))
        for module in sorted({name for one in _codes_in(code) for name in _imports_of(one, known)}):
            self._write("import", module)
            if not _is_installed(module, self._own):
                self._read_named(importlib.import_module(module), attributes, f"its module {module}")

    def _read_held(self, function: types.FunctionType, place: str) -> None:
        """Read what a function has beside its code."""
        self.read(function.__defaults__, f"a default of {function.__qualname__}")
        self.read(function.__kwdefaults__, f"a default of {function.__qualname__}")
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        for name, cell in cells:
            self._write("closure", name)
            try:
                held = cell.cell_contents
            except ValueError:
                self._write("empty", "")
                continue
            self.read(held, f"its variable {name}")
        for name, value in sorted(vars(function).items()):
            self._write("attribute", name)
            self.read(value, f"its attribute {name}")

    def _read_named(self, value: Any, attributes: list[str], place: str) -> None:
        """Read what a name of the code stands for; of a module of the user's, whatever in it has the
        name of an attribute in the code.
        """
        if not isinstance(value, types.ModuleType) or _is_installed(value.__name__, self._own):
            self.read(value, place)
            return
        if id(value) in self._open:
            self._write("again", value.__name__)
            return
        self._open.append(id(value))
        self._write("module", value.__name__)
        for name in attributes:
            if name in vars(value):
                self._write("name", name)
                inner = f"{place.removeprefix('its module ').removeprefix('its global ')}.{name}"
                self._read_named(vars(value)[name], attributes, f"its global {inner}")
        self._open.pop()

    def _read_code(self, code: types.CodeType, place: str) -> None:
        """Read bytecode with what it works on; neither its file nor its lines."""
        counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
        names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
        handlers = getattr(code, "co_exceptiontable", b"")
        self._read_parts("code", (code.co_code, handlers, counts, names), place)
        self.read(code.co_consts, place)

    def _read_class(self, found: type, place: str) -> None:
        self._write("class", found.__qualname__)
        self.read((type(found), *found.__bases__), place)
        if issubclass(found, enum.Enum):
            members = found.__members__.items()
            self.read([(name, member.value) for name, member in members], place)
        for name, value in sorted(vars(found).items()):
            # The text that a dataclass gets has the addresses of its defaults.
            is_made = name == "__doc__" and str(value).startswith(f"{found.__name__}(")
            if is_made or name in _MADE_BY_PYTHON or _is_enum_part(found, name, value):
                continue
            self._write("attribute", name)
            self.read(value, f"{found.__qualname__}.{name}")

    def _write(self, kind: str, text: str) -> None:
        # With its length, so that no two sequences of parts are the same bytes.
        written = text.encode("utf-8", "surrogatepass")
        self.hash.update(f"{kind} {len(written)} ".encode())
        self.hash.update(written)


def _what_is(value: Any) -> str:
    if isinstance(value, types.BuiltinFunctionType):
        return f"the built-in {value.__qualname__}, whose code cannot be read"
    return f"an instance of {type(value).__qualname__}, and what it holds cannot be read"


def _is_enum_part(found: type, name: str, value: Any) -> bool:
    """Whether an attribute of an enumeration is a member, or made of its members."""
    if not issubclass(found, enum.Enum):
        return False
    made = (found, types.DynamicClassAttribute)  # `enum.property` is one of these
    is_private = name.startswith("_") and not isinstance(value, types.FunctionType)
    return isinstance(value, made) or is_private


def _top_module(function: Any) -> str:
    """Return the package of a judge's own code."""
    while isinstance(function, (functools.partial, types.MethodType, _LruCache)):
        if isinstance(function, functools.partial):
            function = function.func
        else:
            function = function.__func__ if hasattr(function, "__func__") else function.__wrapped__
    known = getattr(function, "__globals__", {})
    return str(known.get("__name__", "")).partition(".")[0]


def _is_installed(module: str, own: str) -> bool:
    """Whether a module is of the standard library or of a package that is installed, and so counts by
    its name; the package of the judge itself does not.
    """
    top = module.partition(".")[0]
    if top in ("evenhand", "builtins") or top in sys.stdlib_module_names:
        return True
    if top in ("", "__main__", own):
        return False
    found = sys.modules.get(top)
    if found is not None:
        places = [getattr(found, "__file__", None) or "", *(getattr(found, "__path__", None) or ())]
    else:
        try:
            spec = importlib.util.find_spec(top)
        except (ImportError, ValueError):
            spec = None
        if spec is None:
            return False
        places = [spec.origin or "", *(spec.submodule_search_locations or ())]
    parts = {part for place in places for part in PurePath(place).parts}
    return bool(parts & {"site-packages", "dist-packages"})


def _codes_in(code: types.CodeType) -> Iterator[types.CodeType]:
    """Return a code and those of the functions and classes in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes_in(constant)


def _globals_of(code: types.CodeType) -> Iterator[str]:
    """Return the names that a code looks up outside its functions."""
    for step in dis.get_instructions(code):
        if "GLOBAL" in step.opname or step.opname == "LOAD_NAME":
            yield str(step.argval)


def _imports_of(code: types.CodeType, known: Mapping[str, Any]) -> Iterator[str]:
    """Return the modules that a code imports when it runs."""
    steps = list(dis.get_instructions(code))
    for at, step in enumerate(steps):
        if step.opname != "IMPORT_NAME":
            continue
        # Before it stand how many packages up it is, and the names that are taken of it.
        level = steps[at - 2].argval
        name = str(step.argval)
        if isinstance(level, int) and level > 0:
            name = importlib.util.resolve_name("." * level + name, str(known.get("__package__")))
        yield name

