"""Trainings by the program hierml, which one child of this process does as long as it lives.

Requests and answers are lines of JSON on its pipes; kernel/fit.go is the other end. Data and models are files
in a folder that only this user can look into, and that is removed after each training.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib.metadata
import json
import os
import queue
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import zlib
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ._errors import visible
from ._rows import single

_MOST_ANSWER = 1 << 20  # bytes of a line
_PATIENCE = 10.0  # seconds for the end of a training that is cancelled, and of the program
_ENTRIES = 1 << 22  # of a dense matrix that are looked at together


class TrainingError(RuntimeError):
    """The program hierml is missing, cannot be started, or has ended in the middle of a training."""


class Data(NamedTuple):
    """What is trained on: features, nodes with their parents, and the nodes of each row, ascending."""

    features: Any
    nodes: Sequence[str]
    edges: Sequence[Tuple[int, int]]
    labels: Sequence[Sequence[int]]
    weights: Optional[np.ndarray] = None


class Trained(NamedTuple):
    """A model as the bytes of its file, and how the training went."""

    file: bytes
    epochs: int
    converged: bool
    seconds: float


def train(estimator: str, fields: Dict[str, Any], data: Data, inner: bool = False, note: Callable[[str], None] = print, progress: Optional[Callable[[str], None]] = None) -> Trained:
    """Trains an estimator of the Go library, named as in studies ("svm.Flat"), with its fields.

    inner keeps labels at inner nodes there; otherwise each gets a leaf of its own. note is told what one has to
    know of the outcome, progress how far the training is. Raises ValueError for what the library refuses, and
    TrainingError. An exception in between, such as KeyboardInterrupt, ends the training.
    """
    folder = tempfile.mkdtemp(prefix="hierml-fit-")
    try:
        _write_data(os.path.join(folder, "data"), data)
        if data.weights is not None:
            with _new(os.path.join(folder, "weights")) as file:
                file.write(np.ascontiguousarray(data.weights, "<f8").data)
        request = {"folder": folder, "estimator": estimator, "fields": fields, "inner": inner, "weights": data.weights is not None, "progress": progress is not None}
        with _program().asked(request) as answers:
            for answer in answers:
                if "trained" in answer:
                    with open(os.path.join(folder, "model"), "rb") as model:
                        return Trained(model.read(), **answer["trained"])
                if "error" in answer:
                    raise ValueError(visible(answer["error"].replace(f"dataset: {os.path.join(folder, 'data')}: ", "")))
                if "note" in answer:
                    note(visible(answer["note"]))
                elif progress is not None:
                    progress(visible(_told(answer["progress"])))
        raise TrainingError("the program hierml has answered no more")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _told(progress: Dict[str, Any]) -> str:
    share = "" if progress["done"] is None else f" {100 * progress['done']:.0f} %"
    return f"{progress['what']}{share}: {progress['how']}"


# The file of dataset.SaveMap (doc/formats.md), which Go maps into memory as it is.


def _new(path: str) -> Any:
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600), "wb")


def _write_data(path: str, data: Data) -> None:
    matrix = single(data.features)
    begin, parts = _entries(matrix)
    lengths = np.fromiter(map(len, data.labels), np.int64, len(data.labels))
    labels = np.fromiter((node for of in data.labels for node in of), "<i4", int(lengths.sum()))
    meta = json.dumps({"Name": "data", "Nodes": data.nodes, "Edges": data.edges, "Labels": None, "Vocabulary": None}).encode()
    with _new(path) as file:

        def write(array: np.ndarray) -> int:
            file.write(np.ascontiguousarray(array).data)
            return array.nbytes

        def pad(length: int) -> None:
            file.write(bytes(-length % 8))

        counts = matrix.shape[0], matrix.shape[1], int(begin[-1]), len(labels)
        file.write(struct.pack("<8s7Q", b"hiermlM\x01", *counts, len(meta), zlib.crc32(meta), 0))
        for k, kind in enumerate(("<f4", "<i4")):
            pad(sum(write(entries.astype(kind, copy=False)) for entries in parts(k)))
        for array in (begin.astype("<i8"), np.concatenate([[0], np.cumsum(lengths)]).astype("<i8"), labels):
            pad(write(array))
        file.write(meta)
        pad(len(meta))


def _entries(matrix: Any) -> Tuple[np.ndarray, Callable[[int], Iterator[np.ndarray]]]:
    """Returns where rows begin, and a function that gives their values (0) or columns (1), part by part."""
    if hasattr(matrix, "tocsr"):
        return matrix.indptr, lambda k: iter([(matrix.data, matrix.indices)[k]])
    step = max(1, _ENTRIES // max(1, matrix.shape[1]))

    def parts(k: int) -> Iterator[np.ndarray]:
        for lo in range(0, len(matrix), step):
            part = matrix[lo : lo + step]
            there = part != 0
            if there.all():
                yield part if k == 0 else np.broadcast_to(np.arange(part.shape[1], dtype="<i4"), part.shape)
            else:
                yield part[there] if k == 0 else np.nonzero(there)[1]

    return np.concatenate([[0], np.cumsum(np.count_nonzero(matrix, axis=1))]), parts


# The program.


def find_program() -> str:
    """Returns the path of the program: that of the wheel, or one on PATH."""
    name = "hierml.exe" if os.name == "nt" else "hierml"
    try:
        installed = importlib.metadata.files("hierml") or []
    except importlib.metadata.PackageNotFoundError:
        installed = []
    for file in installed:
        if file.name == name and os.path.isfile(file.locate()):
            return os.fspath(file.locate())
    found = shutil.which(name)
    if found is None:
        raise TrainingError("estimators need the program hierml, and it is neither in this Python environment nor on PATH; install the wheel of hierml with pip, or put the folder of the program on PATH")
    return found


#: What an answer has besides the number of its training, and of which types.
_ANSWERS: Dict[str, Any] = {
    "note": str, "error": str, "progress": {"what": str, "done": (int, float, type(None)), "how": str},
    "trained": {"epochs": int, "converged": bool, "seconds": (int, float)},
}


def _checked(answer: Any) -> Dict[str, Any]:
    """Returns an answer, or raises ValueError if it is none."""
    names = [name for name in answer if name != "fit"] if isinstance(answer, dict) else []
    if len(names) != 1 or names[0] not in _ANSWERS or type(answer.get("fit")) is not int:
        raise ValueError(names)
    kind, value = _ANSWERS[names[0]], answer[names[0]]
    right = isinstance(value, kind) if not isinstance(kind, dict) else isinstance(value, dict) and value.keys() == kind.keys() and all(isinstance(value[k], kind[k]) for k in kind)
    if not right:
        raise ValueError(names)
    return answer


class _Program:
    """The program at work. What begins with it ends with it: a program that has ended is never used again."""

    def __init__(self) -> None:
        self._file = find_program()
        self._errors = tempfile.TemporaryFile()
        # In a group of its own, it does not get the interrupt of a terminal: asked() passes on what is to end.
        apart: Dict[str, Any] = {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)} if sys.platform == "win32" else {"start_new_session": True}
        try:
            self._process = subprocess.Popen([self._file, "fit"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, bufsize=0, **apart)
        except OSError as error:
            self._errors.close()
            raise TrainingError(f"the program {visible(self._file)} cannot be started: {error.strerror}") from error
        self._in, self._out = self._pipes()
        self._lock = threading.Lock()
        self._waiting: Dict[int, "queue.SimpleQueue[Any]"] = {}
        self._last = 0
        self.ended = False
        self._reader = threading.Thread(target=self._read, name="hierml", daemon=True)
        self._reader.start()

    def _pipes(self) -> Tuple[int, int]:
        assert self._process.stdin is not None and self._process.stdout is not None
        return self._process.stdin.fileno(), self._process.stdout.fileno()

    def _read(self) -> None:
        """Hands out answers until the program ends. One that is no answer ends it."""
        rest = b""
        try:
            while True:
                part = os.read(self._out, 1 << 16)
                *lines, rest = (rest + part).split(b"\n")
                for line in lines:
                    answer = _checked(json.loads(line))
                    self._waiting[answer["fit"]].put(answer)
                if not part or len(rest) > _MOST_ANSWER:
                    break
        except (OSError, ValueError, KeyError, TypeError):
            pass
        with self._lock:
            self.ended = True
            self._process.kill()
            status = self._process.wait()
            self._errors.seek(max(0, self._errors.seek(0, os.SEEK_END) - 2000))
            said = self._errors.read().decode(errors="replace").strip()
            self._close()
            for answers in list(self._waiting.values()):
                answers.put(TrainingError(f"the program {visible(self._file)} has ended (status {status}) in the middle of a training{': ' if said else ''}{visible(said)}"))

    def _write(self, request: Dict[str, Any]) -> None:
        """Writes a line. The caller has the lock."""
        line = json.dumps(request).encode() + b"\n"
        while line and not self.ended:
            try:
                line = line[os.write(self._in, line) :]
            except BrokenPipeError:  # the reader says what has happened
                return

    @contextlib.contextmanager
    def asked(self, request: Dict[str, Any]) -> Iterator[Iterator[Dict[str, Any]]]:
        """Begins a training, and gives its answers. If the caller leaves before the last one, the training is ended."""
        answers: "queue.SimpleQueue[Any]" = queue.SimpleQueue()
        with self._lock:
            self._last += 1
            number = self._last
            self._waiting[number] = answers
            if self.ended:
                answers.put(TrainingError(f"the program {visible(self._file)} has ended"))
            self._write({"fit": number, **request})
        over = False

        def until_over() -> Iterator[Dict[str, Any]]:
            nonlocal over
            while not over:
                try:
                    answer = answers.get(timeout=0.5)  # on Windows, an interrupt has no effect before
                except queue.Empty:
                    continue
                over = isinstance(answer, TrainingError) or "trained" in answer or "error" in answer
                if isinstance(answer, TrainingError):
                    raise answer
                yield answer

        try:
            yield until_over()
        except BaseException:
            if not over:
                self._cancel(number, answers)
            raise
        finally:
            self._waiting.pop(number, None)

    def _cancel(self, number: int, answers: "queue.SimpleQueue[Any]") -> None:
        """Ends a training, and the program if that takes long."""
        try:
            with self._lock:
                self._write({"fit": number, "cancel": True})
            while True:
                answer = answers.get(timeout=_PATIENCE)
                if isinstance(answer, TrainingError) or "trained" in answer or "error" in answer:
                    return
        except queue.Empty:
            self._process.kill()
        except BaseException:
            self._process.kill()
            raise

    def stop(self) -> None:
        """Ends the program, which ends when nothing more is asked."""
        with self._lock:
            if not self.ended and self._process.stdin is not None:
                self._process.stdin.close()
        self._reader.join(_PATIENCE)

    def forget(self) -> None:
        """Lets go of a program that belongs to the process that this one was forked from."""
        self._close()
        self._process.returncode = 0  # so that nobody waits for it

    def _close(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout, self._errors):
            if pipe is not None:
                pipe.close()


_current: Optional[_Program] = None
_starting = threading.Lock()


def _program() -> _Program:
    """Returns the program of this process, which is started if there is none, or it has ended."""
    global _current
    with _starting:
        if _current is None or _current.ended:
            _current = _Program()
        return _current


def _stop() -> None:
    if _current is not None:
        _current.stop()


def _forked() -> None:
    global _current, _starting
    if _current is not None:
        _current.forget()
    _current, _starting = None, threading.Lock()


atexit.register(_stop)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
