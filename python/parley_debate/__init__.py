"""Parley from Python: runs the program that the wheel brings, and reads what it writes.

    import parley_debate as parley

    run = parley.compare(out="compared", generated=20, conditions="single,vote")
    print(run.conditions()[["condition", "accuracy", "interval.low", "interval.high"]])
    replies = run.table("replies")

    with parley.Server(model="qwen2.5-7b-instruct-q4_k_m.gguf") as server:
        client = openai.OpenAI(base_url=server.base_url, api_key="none")

Whatever is computed, the program computes. A keyword is a flag of the command, without its hyphens: max_tokens=200 is
--max-tokens 200, json=True is --json, a list repeats the flag, a mapping repeats it with NAME=VALUE, and None and False
leave it out. What a command refuses is an Error, in its own words. Nothing is installed with this module: frames need
pandas, or polars, and what these need for Parquet.
"""

from __future__ import annotations

import importlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Mapping
from typing import Any

__all__ = ["Error", "Result", "Run", "Server", "call", "compare", "experiment", "program", "referee", "runs", "stats"]


class Error(RuntimeError):
    """A command that failed: its message, and its exit status as code."""

    def __init__(self, message: str, code: int):
        super().__init__(message)
        self.code = code


def program() -> str:
    """Return the path of the program: $PARLEY, else the script beside this Python, else the first on PATH."""
    beside = os.path.join(sysconfig.get_path("scripts"), "parley")
    found = os.environ.get("PARLEY") or (beside if os.path.exists(beside) else shutil.which("parley"))
    if not found:
        raise Error("parley is neither among the scripts of this Python nor on PATH: install its wheel, "
                    "or let PARLEY name the program", 127)
    return found


def _line(command: str, arguments: tuple[object, ...], flags: Mapping[str, object]) -> list[str]:
    line = [program(), *command.split()]
    for name, value in flags.items():
        flag = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            line.append(flag)
        elif isinstance(value, Mapping):
            line += [f"{flag}={key}={item}" for key, item in value.items()]
        elif isinstance(value, (list, tuple)):
            line += [f"{flag}={item}" for item in value]
        else:
            line.append(f"{flag}={value}")
    return [*line, "--", *map(str, arguments)] if arguments else line


def call(command: str, *arguments: object, **flags: object) -> str:
    """Run a command of the program and return what it prints on standard output. What it says on standard error, such
    as warnings, appears on sys.stderr as it comes, and is the Error's message if the command fails. An interrupted run
    ends in good order, and the same call resumes it."""
    said = []
    with tempfile.TemporaryFile("w+", encoding="utf-8") as out, subprocess.Popen(
            _line(command, arguments, flags), stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE, text=True,
            encoding="utf-8") as process:
        assert process.stderr
        try:
            for line in process.stderr:
                said.append(line)
                sys.stderr.write(line)
        except BaseException:
            process.terminate()
            raise
        if process.wait():
            raise Error("".join(said).strip() or f"parley {command}: exit status {process.returncode}",
                        process.returncode)
        out.seek(0)
        return out.read()


class Result:
    """One task's results, as --json prints them: data is that object, which docs/format.md describes."""

    def __init__(self, data: dict[str, Any]):
        self.data = data

    def conditions(self, library: str = "pandas") -> Any:
        """Return a frame of pandas or polars with a row for each condition: its accuracy from 0 to 1, its interval, its
        paired difference from the reference. Columns of nested values have their names joined by points."""
        return importlib.import_module(library).json_normalize(self.data["conditions"])


class Run(Result):
    """The directory of a finished run of one task."""

    def __init__(self, directory: str | os.PathLike[str]):
        self.directory = pathlib.Path(directory)
        file = self.directory / "result.json"
        if not file.exists():
            raise Error(f"{file} is not there: the run is not finished, or is an experiment: use runs()", 2)
        super().__init__(json.loads(file.read_text(encoding="utf-8")))

    def table(self, name: str, library: str = "pandas") -> Any:
        """Return what `parley export` writes as a frame of pandas or polars: name is "replies" (a row for each turn),
        "decisions" (for each debate) or "measures" (for each debate and measure)."""
        with tempfile.TemporaryDirectory() as scratch:
            call("export", self.directory, format="parquet", out=os.path.join(scratch, "table"))
            return importlib.import_module(library).read_parquet(os.path.join(scratch, f"table.{name}.parquet"))


def runs(directory: str | os.PathLike[str]) -> list[Run]:
    """Return the runs of a directory: its own, or one for each task of an experiment, in order of their names."""
    top = pathlib.Path(directory)
    found = [top / "result.json"] if (top / "result.json").exists() else sorted(top.glob("*/result.json"))
    return [Run(file.parent) for file in found]


def compare(*, out: str | os.PathLike[str], **flags: object) -> Run:
    """Run `parley compare` into a directory, or resume it there, and return the run."""
    call("compare", out=out, **flags)
    return Run(out)


def experiment(name: str | os.PathLike[str], *, out: str | os.PathLike[str], **flags: object) -> list[Run]:
    """Run `parley run` on an experiment, by name or file, and return the run of each task."""
    call("run", name, out=out, **flags)
    return runs(out)


def referee(*, out: str | os.PathLike[str], **flags: object) -> list[Run]:
    """Run `parley referee` and return the run of each task. What to use within which budget is in data["front"]."""
    call("referee", out=out, **flags)
    return runs(out)


def stats(*logs: object, **flags: object) -> Result:
    """Run `parley stats` on logs of other programs and return the comparison."""
    return Result(json.loads(call("stats", *logs, json=True, **flags)))


class Server:
    """A context in which `parley serve` answers OpenAI's protocol on a free port of this machine; keywords are flags of
    the command. url is its address, and base_url what clients of OpenAI take. At its end, replies under way are
    finished, for as long as --drain says."""

    def __init__(self, **flags: object):
        self.flags = {"listen": "127.0.0.1:0", **flags}
        self.url = ""

    @property
    def base_url(self) -> str:
        return self.url + "/v1"

    def __enter__(self) -> Server:
        self._said = tempfile.TemporaryFile("w+", encoding="utf-8")
        self._process = subprocess.Popen(_line("serve", (), self.flags), stdin=subprocess.DEVNULL,
                                         stdout=subprocess.PIPE, stderr=self._said, text=True)
        assert self._process.stdout
        self.url = self._process.stdout.readline().strip()
        if not self.url:
            code = self._process.wait()
            message = self.said()
            self.__exit__()
            raise Error(message, code)
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.communicate()
        self._said.close()

    def said(self) -> str:
        """Return what the server has said on standard error so far, such as the requests that --log names."""
        self._said.seek(0)
        return self._said.read().strip()
