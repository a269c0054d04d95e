"""The GitHub action, run whole: its steps by a runner of our own, as GitHub's runs them.

What the action uses of GitHub's expressions is understood, and all else refused. The action that
uploads is not run; what it would upload is looked at.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar
from xml.etree import ElementTree

import pytest
import yaml
from conftest import QUICKSTART, ROOT

ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
REPORTS = ["gate.xml", "report.html", "summary.md"]

# What GitHub makes of `shell: bash`.
BASH = ["bash", "--noprofile", "--norc", "-eo", "pipefail"]
INPUT = re.compile(r"\$\{\{ inputs\.([a-z-]+) \}\}")
IF_GIVEN = re.compile(r"inputs\.([a-z-]+) != ''")
IF_WANTED = re.compile(r"always\(\) && inputs\.([a-z-]+) == 'true'")
OF_STEP = re.compile(r"\$\{\{ steps\.([a-z-]+)\.outputs\.([a-z-]+) \}\}")

MAP = "--map item=id,instruction=question,category=topic,system=version,output=answer"
JUDGE = "--judge exec:./judge.py"
RANK = f"rank --data week1.csv {MAP} {JUDGE} --run runs/week1"
COMPARE = "runs/week1 --pair v1,v2"
UNDECIDED = "inferior(v2,v1,0.05),coverage<0.95"


@dataclass
class Job:
    """A job that uses the action: what it has, and what came of it."""

    workspace: Path
    environment: Path
    inputs: dict[str, str] = field(default_factory=dict)
    # The exit code of each script, and None for one that was left out.
    codes: list[int | None] = field(default_factory=list)
    failed: bool = False
    written: dict[tuple[str, str], str] = field(default_factory=dict)
    outputs: dict[str, str] = field(default_factory=dict)
    summary: str = ""
    log: str = ""
    uploads: list[dict[str, str]] = field(default_factory=list)
    # What the runner sets beside what every job has.
    variables: dict[str, str] = field(default_factory=dict)

    def uploaded(self) -> list[str]:
        """List the files that the last upload finds."""
        folder = self.workspace / self.uploads[-1]["path"]
        return sorted(file.name for file in folder.rglob("*") if file.is_file())

    def report(self, name: str) -> str:
        """Read a file of the report."""
        return (self.workspace / self.inputs["report"] / name).read_text(encoding="utf-8")


def use_action(job: Job, **given: str) -> Job:
    """Run the action as a step of a job, with inputs whose dashes are written as low lines."""
    job.inputs = fill_inputs({name.replace("_", "-"): value for name, value in given.items()})
    job.codes, job.failed, job.written, job.summary, job.log = [], False, {}, "", ""
    for number, step in enumerate(STEPS):
        run_step(job, number, step)
    job.outputs = {name: read_output(job, one["value"]) for name, one in ACTION["outputs"].items()}
    return job


def fill_inputs(given: dict[str, str]) -> dict[str, str]:
    """Return every input: as it was given, or else its default."""
    known = ACTION["inputs"]
    assert not given.keys() - known.keys(), "the action has no such input"
    return {name: given.get(name, str(one.get("default", ""))) for name, one in known.items()}


def run_step(job: Job, number: int, step: dict[str, Any]) -> None:
    """Run a step, if its condition holds."""
    wanted = is_wanted(job, step.get("if"))
    if "uses" in step:
        assert step["uses"].startswith("actions/upload-artifact@")
        job.uploads += [fill(job, step["with"])] if wanted else []
        return
    code = run_script(job, number, step) if wanted else None
    if step.get("id") == "comment":
        assert not code, job.log
        return
    job.codes.append(code)
    job.failed = job.failed or bool(code)


def is_wanted(job: Job, condition: str | None) -> bool:
    """Tell whether a step runs; one that does not say always() needs that none failed before."""
    if condition == "always()":
        return True
    if condition is None:
        return not job.failed
    if given := IF_WANTED.fullmatch(condition):
        return job.inputs[given[1]] == "true"
    given = IF_GIVEN.fullmatch(condition)
    assert given, f"the runner of this test does not know the condition {condition}"
    return not job.failed and job.inputs[given[1]] != ""


def fill(job: Job, values: dict[str, Any]) -> dict[str, str]:
    """Put the inputs into the values of `env` and `with`."""
    for value in values.values():
        assert "${{" not in INPUT.sub("", str(value)), f"{value} is no plain input"
    return {
        name: INPUT.sub(lambda found: job.inputs[found[1]], str(value))
        for name, value in values.items()
    }


def run_script(job: Job, number: int, step: dict[str, Any]) -> int:
    """Run the script of a step in the workspace, and keep what it wrote for GitHub."""
    assert step["shell"] == "bash"
    assert "${{" not in step["run"], "what an expression gives would be run as text of the script"
    folder = Path(f"step{number}").absolute()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / "script.sh").write_text(step["run"], encoding="utf-8")
    done = subprocess.run(
        [*BASH, folder / "script.sh"],
        cwd=job.workspace,
        env={**make_environment(job, folder), **fill(job, step.get("env", {}))},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    job.log += done.stdout
    job.summary += (folder / "GITHUB_STEP_SUMMARY").read_text(encoding="utf-8")
    keep_outputs(job, step.get("id", ""), folder / "GITHUB_OUTPUT")
    return done.returncode


def make_environment(job: Job, folder: Path) -> dict[str, str]:
    """Return the variables of a step. Nothing is fetched: the wheel needs nothing but Python."""
    files = {name: folder / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    for file in files.values():
        file.touch()
    return {
        "PATH": f"{job.environment / 'bin'}:/usr/local/bin:/usr/bin:/bin",
        "HOME": str(folder),
        "CI": "true",
        "GITHUB_ACTIONS": "true",
        "GITHUB_WORKSPACE": str(job.workspace),
        "GITHUB_ACTION_PATH": str(ROOT),
        **job.variables,
        "PIP_NO_INDEX": "1",
        **{name: str(file) for name, file in files.items()},
    }


def keep_outputs(job: Job, step: str, file: Path) -> None:
    """Keep the outputs that a step wrote, a line each."""
    for line in file.read_text(encoding="utf-8").splitlines():
        name, value = line.split("=", 1)
        job.written[step, name] = value


def read_output(job: Job, value: str) -> str:
    """Return an output of the action; it is empty where the step wrote none."""
    named = OF_STEP.fullmatch(value)
    assert named, f"{value} is no output of a step"
    assert named[1] in [step.get("id") for step in STEPS]
    return job.written.get((named[1], named[2]), "")


@pytest.fixture(scope="module")
def wheel() -> str:
    """The wheel that the action installs."""
    given = os.environ.get("EVENHAND_WHEEL", "")
    if given:
        return str(Path(given).resolve(strict=True))
    reason = "EVENHAND_WHEEL names no wheel for the action to install; scripts/test-python does"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="module")
def environment(wheel: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python of the job's own, without the package."""
    folder = tmp_path_factory.mktemp("job") / "python"
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    return folder


@pytest.fixture
def job(environment: Path) -> Job:
    """A job with the files of the tutorial in its workspace."""
    workspace = Path("workspace").absolute()
    shutil.copytree(ROOT / "examples" / "regression", workspace)
    make = [sys.executable, "make_answers.py", str(QUICKSTART)]
    subprocess.run(make, cwd=workspace, check=True)
    return Job(workspace, environment)


def read_junit(job: Job) -> dict[str, str]:
    """Return what the JUnit file says of each condition: passed, failure or skipped."""
    root = ElementTree.fromstring(job.report("gate.xml"))
    assert root.tag == "testsuites"
    return {case.get("name", ""): read_case(case) for case in root.iter("testcase")}


def read_case(case: ElementTree.Element) -> str:
    """Return the outcome of a test case; one that passed has no mark of it."""
    marks = [one.tag for one in case if one.tag != "system-out"]
    return marks[0] if marks else "passed"


def test_a_gate_that_is_not_decided_stops_the_job(job: Job, wheel: str) -> None:
    use_action(job, version=wheel, run=RANK, compare=COMPARE, fail_if=UNDECIDED)
    assert job.codes == [0, 0, 4], job.log
    assert job.failed and job.outputs == {"code": "4"}
    assert (job.environment / "bin" / "evenhand").exists()
    assert "| stops if | outcome | why |" in job.summary and "inconclusive" in job.summary
    assert job.uploads[-1]["name"] == job.uploads[-1]["path"] == "evenhand"
    assert job.uploaded() == REPORTS
    assert read_junit(job) == {"inferior(v2,v1,0.05)": "failure", "coverage<0.95": "passed"}
    assert job.report("summary.md") == job.summary
    assert "</html>" in job.report("report.html")


def test_what_is_not_decided_may_pass(job: Job, wheel: str) -> None:
    given = {"version": wheel, "run": RANK, "compare": COMPARE, "fail_if": UNDECIDED}
    use_action(job, inconclusive="pass", **given)
    assert job.codes == [0, 0, 0], job.log
    assert not job.failed and job.outputs == {"code": "0"}
    assert "inconclusive" in job.summary and job.uploaded() == REPORTS
    assert read_junit(job) == {"inferior(v2,v1,0.05)": "skipped", "coverage<0.95": "passed"}


def test_what_is_missing_is_no_pass_unless_that_is_allowed(job: Job, wheel: str) -> None:
    for name, systems in (("old", ("v1", "v2")), ("new", ("v1",))):
        rows = [
            f'{{"item": "q{item}", "system": "{system}", "score": {item % 7}}}\n'
            for item in range(20)
            for system in systems
        ]
        (job.workspace / f"{name}.jsonl").write_text("".join(rows), encoding="utf-8")
    given = {"version": wheel, "compare": "old.jsonl new.jsonl", "fail_if": "worse"}
    use_action(job, **given)
    assert job.codes == [0, None, 4], job.log
    assert "**Missing: v2 on all 20 items (the system is gone).**" in job.summary
    use_action(job, allow_missing="true", **given)
    assert job.codes == [0, None, 0], job.log
    assert "**Missing: v2 on all 20 items" in job.summary


def test_a_gate_that_is_met_stops_the_job(job: Job, wheel: str) -> None:
    rank = RANK.replace("week1", "week2")
    given = {"compare": "runs/week2 --pair v3,v1", "fail_if": "worse(v1,v3),coverage<0.95"}
    use_action(job, version=wheel, run=rank, report="out/gate", artifact="week2", **given)
    assert job.codes == [0, 0, 3], job.log
    assert job.failed and job.outputs == {"code": "3"}
    assert job.uploads[-1]["name"] == "week2" and job.uploads[-1]["path"] == "out/gate"
    assert job.uploaded() == REPORTS
    assert read_junit(job) == {"worse(v1,v3)": "failure", "coverage<0.95": "passed"}


def test_without_conditions_the_job_passes(job: Job, wheel: str) -> None:
    use_action(job, version=wheel, run=RANK, compare=COMPARE)
    assert job.codes == [0, 0, 0], job.log
    assert job.outputs == {"code": "0"} and job.uploaded() == REPORTS
    assert "No difference between v2 and v1" in job.summary


def test_inputs_may_stand_on_several_lines(job: Job, wheel: str) -> None:
    given = {
        "run": RANK.replace(" --", "\n  --") + "\n",
        "compare": COMPARE.replace(" ", "\n") + "\n",
        "fail_if": "worse(v2,v1),\ncoverage<0.95\n",
    }
    use_action(job, version=wheel, **given)
    assert job.codes == [0, 0, 0], job.log
    assert read_junit(job) == {"worse(v2,v1)": "passed", "coverage<0.95": "passed"}


def test_without_a_command_the_comparison_is_all(job: Job, wheel: str) -> None:
    use_action(job, version=wheel, run=RANK, compare=COMPARE)
    use_action(job, version=wheel, compare=COMPARE, fail_if="difference(v2,v1)<0")
    assert job.codes == [0, None, 3], job.log


def test_a_package_that_cannot_be_had_ends_it(job: Job) -> None:
    for version in ("0.0.1", "==0.0.1"):
        use_action(job, version=version, run=RANK, compare=COMPARE)
        assert job.codes == [1, None, None] and job.outputs == {"code": ""}
        assert "No matching distribution found for evenhand==0.0.1" in job.log
    assert len(job.uploads) == 2 and not job.uploaded()


def test_a_name_that_anybody_may_take_is_not_installed(job: Job) -> None:
    use_action(job, run=RANK, compare=COMPARE)
    assert job.codes == [2, None, None]
    assert "version is empty: give the path of a wheel" in job.log


def test_a_pattern_is_that_of_one_wheel(job: Job, wheel: str) -> None:
    wheels = job.workspace / "my wheels"
    wheels.mkdir()
    shutil.copy(wheel, wheels)
    use_action(job, version="my wheels/evenhand-*.whl", run=RANK, compare=COMPARE)
    assert job.codes[:2] == [0, 0], job.log
    shutil.copy(wheel, wheels / "evenhand-0-other.whl")
    use_action(job, version="my wheels/evenhand-*.whl", run=RANK, compare=COMPARE)
    assert job.codes == [2, None, None] and "stands for 2 wheels" in job.log


def test_the_trend_is_kept(job: Job, wheel: str) -> None:
    job.variables["GITHUB_SHA"] = "0123456789abcdef"
    use_action(job, version=wheel, run=RANK, compare=COMPARE, history="runs/history.jsonl")
    kept = [json.loads(line) for line in (job.workspace / "runs/history.jsonl").open()]
    assert [row["look"] for row in kept] == ["0123456789"]
    job.variables["GITHUB_SHA"] = "fedcba9876543210"
    use_action(job, version=wheel, compare=COMPARE, history="runs/history.jsonl")
    assert "Trend against this baseline" in job.summary
    assert "0123456789" in job.summary and "fedcba9876" in job.summary


def test_a_command_that_fails_ends_it(job: Job, wheel: str) -> None:
    use_action(job, version=wheel, run=f"rank --data nowhere.csv {JUDGE}", compare=COMPARE)
    assert job.codes == [0, 2, None] and "nowhere.csv" in job.log
    assert job.outputs == {"code": ""} and not job.summary and not job.uploaded()


def test_an_earlier_report_is_not_taken_for_this_one(job: Job, wheel: str) -> None:
    use_action(job, version=wheel, run=RANK, compare=COMPARE)
    assert job.uploaded() == REPORTS
    use_action(job, version=wheel, compare="runs/nowhere")
    assert job.codes == [0, None, 2] and job.outputs == {"code": "2"}, job.log
    assert not job.summary and not job.uploaded()


@pytest.fixture
def stubbed() -> Job:
    """A job whose evenhand writes down its arguments and prints what a runner would act on."""
    workspace, environment = Path("workspace").absolute(), Path("stubs").absolute()
    workspace.mkdir()
    (environment / "bin").mkdir(parents=True)
    evenhand = environment / "bin" / "evenhand"
    evenhand.write_text('#!/bin/sh\necho "$@" >> arguments\nprintf "::add-mask::e"\n')
    evenhand.chmod(0o755)
    python3 = environment / "bin" / "python3"
    python3.write_text(
        f'#!/bin/sh\n[ "$2" = pip ] || exec {sys.executable} "$@"\n', encoding="utf-8"
    )
    python3.chmod(0o755)
    return Job(workspace, environment)


def git(job: Job, *words: str) -> None:
    """Run git in the workspace."""
    name = ["-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run(["git", *name, *words], cwd=job.workspace, check=True, capture_output=True)


def arguments(job: Job) -> list[str]:
    """List the commands that were run, and forget them."""
    file = job.workspace / "arguments"
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    file.unlink(missing_ok=True)
    return lines


@pytest.mark.parametrize(
    "place",
    ["runs/cache/run.sqlite", "runs/notes", "Runs/a/run.sqlite", "deep/in/a/run.sqlite", "runs"],
)
def test_runs_that_a_branch_brings_along_are_refused(stubbed: Job, place: str) -> None:
    given = {"run": "rank --data d --run out", "compare": "baseline.json out", "reuse": "true"}
    given |= {"version": "0.1.0"}
    git(stubbed, "init")
    (stubbed.workspace / "data.csv").write_text("x", encoding="utf-8")
    git(stubbed, "add", ".")
    git(stubbed, "commit", "-m", "a")
    use_action(stubbed, **given)
    assert stubbed.codes == [0, 0, 0], stubbed.log
    file = stubbed.workspace / place
    if place == "runs":
        (stubbed.workspace / "elsewhere").mkdir()
        file.symlink_to("elsewhere")
    else:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("forged", encoding="utf-8")
    # What a cache put there is the job's own.
    arguments(stubbed)
    use_action(stubbed, **given)
    assert stubbed.codes == [0, 0, 0], stubbed.log
    git(stubbed, "add", "--force", place)
    arguments(stubbed)
    use_action(stubbed, **given)
    assert stubbed.codes == [2, None, None], stubbed.log
    assert "git tracks runs" in stubbed.log and place in stubbed.log
    assert not arguments(stubbed)


def test_replies_are_used_again_only_where_the_job_says_so(stubbed: Job) -> None:
    for run, reuse, expected in [
        ("rank --data d --run r", "false", "rank --data d --run r --no-reuse"),
        ("rank --data d --run r", "true", "rank --data d --run r"),
        ("judge --no-reuse --data d", "false", "judge --no-reuse --data d"),
        ("meta study S --run r", "false", "meta study S --run r --no-reuse"),
        ("leaderboard battles.csv", "false", "leaderboard battles.csv"),
        ("meta people --labels l", "false", "meta people --labels l"),
        ("migrate old --judge j", "false", "migrate old --judge j --no-reuse"),
        ("models try m", "false", "models try m --no-reuse"),
        ("audit --recorded r", "false", "audit --recorded r"),
        ("meta judge --recorded=r", "false", "meta judge --recorded=r"),
        (
            "meta judge --recorded r --second-stage j",
            "false",
            "meta judge --recorded r --second-stage j --no-reuse",
        ),
    ]:
        use_action(stubbed, version="0.1.0", run=run, compare="a b", reuse=reuse)
        assert stubbed.codes == [0, 0, 0], stubbed.log
        assert arguments(stubbed)[0] == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("rank --data \"my answers.csv\" --run 'a b'", ["rank", "--data", "my answers.csv", "--run", "a b"]),
        ("a&&'\"|b runs/'x y' \"\"", ["a&&'\"|b", "runs/'x", "y'", ""]),
        (" \n rank\n  --data d\n", ["rank", "--data", "d"]),
        ("it's \"not closed", ["it's", '"not', "closed"]),
        ("$(touch pwned) `x` *", ["$(touch", "pwned)", "`x`", "*"]),
    ],
)
def test_words_may_hold_spaces_between_marks(text: str, words: list[str]) -> None:
    split = [sys.executable, str(ROOT / "scripts" / "split-words"), "INPUT"]
    done = subprocess.run(split, env={"INPUT": text}, capture_output=True, text=True, check=True)
    assert done.stdout.split("\0")[:-1] == words


class GitHub(BaseHTTPRequestHandler):
    """What GitHub's interface of comments does, for one repository."""

    comments: ClassVar[list[dict[str, Any]]] = []
    refuses = False

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

    def answer(self, code: int, body: Any) -> None:
        text = json.dumps(body).encode()
        self.send_response(code)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def do_GET(self) -> None:
        assert self.headers["Authorization"] == "Bearer secret"
        if self.path == "/user":
            return self.answer(403, {})
        page = int(self.path.rsplit("page=", 1)[1])
        assert self.path.startswith("/repos/us/answers/issues/7/comments?per_page=100&")
        return self.answer(200, self.comments[100 * (page - 1) : 100 * page])

    def change(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.refuses:
            return self.answer(403, {})
        if self.command == "POST":
            number, by = len(self.comments), {"login": "github-actions[bot]"}
            self.comments.append({"id": number, "user": by, **body})
            return self.answer(201, {})
        self.comments[int(self.path.rsplit("/", 1)[1])].update(body)
        return self.answer(200, {})

    do_POST = do_PATCH = change


@pytest.fixture
def github() -> Iterator[tuple[type[GitHub], str]]:
    """An interface of its own for a test, and its address."""
    api = type("Api", (GitHub,), {"comments": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), api)
    Thread(target=server.serve_forever, daemon=True).start()
    yield api, f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()


def test_the_summary_is_one_comment_that_is_kept_up_to_date(
    job: Job, wheel: str, github: tuple[type[GitHub], str]
) -> None:
    api, address = github
    # Others may write the mark: their comments are theirs.
    other = {"user": {"login": "other"}, "body": "<!-- evenhand evenhand -->\nmine"}
    api.comments += [{"id": number, **other} for number in range(101)]
    event = job.workspace.parent / "event.json"
    event.write_text('{"pull_request": {"number": 7}}', encoding="utf-8")
    job.variables = {
        "GITHUB_API_URL": address,
        "GITHUB_REPOSITORY": "us/answers",
        "GITHUB_EVENT_PATH": str(event),
    }
    given = {"version": wheel, "compare": COMPARE, "comment": "true", "token": "secret"}
    use_action(job, run=RANK, **given)
    assert len(api.comments) == 102
    first = api.comments[-1]["body"]
    assert first.startswith("<!-- evenhand evenhand -->\n") and "No difference between v2 and v1" in first
    use_action(job, fail_if="difference(v2,v1)<0", **given)
    assert job.codes == [0, None, 3], job.log
    assert len(api.comments) == 102 and api.comments[-1]["body"] != first
    assert all(comment["body"] == other["body"] for comment in api.comments[:101])
    use_action(job, artifact="week two", **given)
    assert len(api.comments) == 103
    assert api.comments[-1]["body"].startswith("<!-- evenhand week-two -->")
    # What may not be written, and what is no pull request, stops nobody.
    api.refuses = True
    use_action(job, **given)
    assert job.codes == [0, None, 0] and "no comment: 403" in job.log
    assert "pull-requests: write" in job.log and "secret" not in job.log
    event.write_text("{}", encoding="utf-8")
    use_action(job, **given)
    assert "this is no pull request" in job.log and len(api.comments) == 103


def test_a_comment_calls_nobody(tmp_path: Path, github: tuple[type[GitHub], str]) -> None:
    api, address = github
    summary, event = tmp_path / "summary.md", tmp_path / "event.json"
    text = "@everybody see #12 &#35; a@b.c\n<details><summary>all</summary>\n\n"
    summary.write_text(text + "long @line\n" * 9000 + "\n</details>\n", encoding="utf-8")
    event.write_text('{"pull_request": {"number": 7}}', encoding="utf-8")
    variables = {
        "GITHUB_API_URL": address,
        "GITHUB_REPOSITORY": "us/answers",
        "GITHUB_EVENT_PATH": str(event),
        "EVENHAND_TOKEN": "secret",
    }
    script = [sys.executable, str(ROOT / "scripts" / "comment-on-pull-request"), str(summary), "x"]
    subprocess.run(script, env=variables, check=True)
    body = api.comments[0]["body"]
    job = {"GITHUB_SERVER_URL": "https://git.example", "GITHUB_RUN_ID": "12"}
    subprocess.run(script, env=variables | job, check=True)
    told = api.comments[-1]["body"].splitlines()[-1]
    assert told.endswith("in the artifact `x` of [the job](https://git.example/us/answers/actions/runs/12).")
    assert "@everybody" not in body and "#12" not in body and "&#35;" in body
    assert len(body) < 65_536 and body.endswith("\n\n</details>\n\n… the rest is in the report of the job.")


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"no answer of a server\n::add-mask::e\n\n",
        b"HTTP/1.0 200 OK\r\n\r\n<html>sign in</html>",
        b"HTTP/1.0 200 OK\r\nContent-Length: 100\r\n\r\n[1",
        b"HTTP/1.0 200 OK\r\n\r\n[1]",
        b'HTTP/1.0 200 OK\r\n\r\n[{"body": "<!-- evenhand x -->", "user": null}]',
        b"HTTP/1.0 500 broken\r\n\r\n",
    ],
)
def test_whatever_the_interface_answers_stops_no_job(tmp_path: Path, answer: bytes) -> None:
    class Odd(BaseHTTPRequestHandler):
        def handle(self) -> None:
            self.rfile.readline()
            self.wfile.write(answer)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Odd)
    Thread(target=server.serve_forever, daemon=True).start()
    summary, event = tmp_path / "summary.md", tmp_path / "event.json"
    summary.write_text("told", encoding="utf-8")
    event.write_text('{"pull_request": {"number": 7}}', encoding="utf-8")
    script = [sys.executable, str(ROOT / "scripts" / "comment-on-pull-request"), str(summary), "x"]
    variables = {
        "GITHUB_API_URL": f"http://127.0.0.1:{server.server_address[1]}",
        "GITHUB_REPOSITORY": "us/answers",
        "GITHUB_EVENT_PATH": str(event),
    }
    for token in ("secret", "secret\n"):
        variables["EVENHAND_TOKEN"] = token
        done = subprocess.run(script, env=variables, capture_output=True, text=True, check=False)
        said = done.stdout + done.stderr
        assert done.returncode == 0, said
        assert said.startswith("evenhand: no comment: ") and said.count("\n") == 1, said
        assert "secret" not in said
    server.shutdown()


def test_what_is_printed_is_fenced(stubbed: Job) -> None:
    use_action(stubbed, version="0.1.0", run="rank --data d", compare="a b")
    tokens = re.findall(r"^::stop-commands::([0-9a-f]{32})$", stubbed.log, re.MULTILINE)
    assert len(set(tokens)) == 2
    rest = stubbed.log
    for token in tokens:
        before, _, behind = rest.partition(f"::stop-commands::{token}")
        inside, closing, after = behind.partition(f"\n::{token}::\n")
        assert closing and "::add-mask::e" in inside
        rest = before + after
    assert "::" not in rest


# Git takes them for names of branches.
@pytest.mark.parametrize(
    "branch", ["$(touch${IFS}pwned)", "`touch${IFS}pwned`", ";touch${IFS}pwned;", "a&&'\"|b"]
)
def test_a_branch_is_a_name_and_nothing_else(job: Job, wheel: str, branch: str) -> None:
    run = f"runs/{branch}"
    given = {"run": RANK.replace("runs/week1", run), "compare": f"{run} --pair v1,v2"}
    use_action(job, version=wheel, report=f"out/{branch}", **given)
    assert job.codes == [0, 0, 0], job.log
    assert (job.workspace / run / "run.sqlite").exists() and job.uploaded() == REPORTS
    assert not list(job.workspace.rglob("pwned"))


# Unquoted or between double marks, and between single ones.
@pytest.mark.parametrize("text", ["; touch pwned; $(touch pwned)", "'; touch pwned; '"])
@pytest.mark.parametrize("name", list(ACTION["inputs"]))
def test_no_input_is_run(job: Job, wheel: str, name: str, text: str) -> None:
    given = {"version": wheel, "compare": "runs/nowhere", "fail-if": "drift", "report": "out"}
    given[name] = given.get(name, ACTION["inputs"][name].get("default", "")) + text
    use_action(job, **given)
    assert job.failed and not list(job.workspace.rglob("pwned"))


def test_the_metadata_is_as_github_documents_it() -> None:
    assert ACTION.keys() == {"name", "description", "branding", "inputs", "outputs", "runs"}
    assert ACTION["name"] and ACTION["description"]
    for one in ACTION["inputs"].values():
        assert one["description"] and one.keys() <= {"description", "required", "default"}
        assert one.get("required") or isinstance(one["default"], str)
    for one in ACTION["outputs"].values():
        assert one["description"] and one.keys() == {"description", "value"}
    assert ACTION["runs"].keys() == {"using", "steps"} and ACTION["runs"]["using"] == "composite"


def test_every_step_has_a_shell_or_a_version() -> None:
    for step in STEPS:
        assert step.keys() <= {"id", "name", "if", "env", "shell", "run", "uses", "with"}
        assert ("run" in step) == ("shell" in step) != ("uses" in step)
        assert re.fullmatch(r"[\w-]+/[\w-]+@v\d+", step.get("uses", "actions/none@v0"))
    text = str(STEPS)
    named = set(re.findall(r"inputs\.([a-z-]+)", text))
    assert named == set(ACTION["inputs"]), "an input is not used, or is used and does not exist"
