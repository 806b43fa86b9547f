"""The program at work: interrupts, deaths, forks, threads, and that nothing of it stays."""

import glob
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

import numpy as np

from hierml import _trainer
from hierml.sklearn import FlatSVC, LabelTreeClassifier

X = np.random.default_rng(1).normal(size=(90, 5))
Y = np.array(["a", "b", "c"])[X[:, :3].argmax(axis=1)]
RANDOM = np.random.default_rng(2).normal(size=(2000, 100)), np.random.default_rng(3).integers(0, 10, 2000)


def endless(**settings):
    """Returns an estimator that does not end by itself."""
    return FlatSVC(C=1e6, tol=1e-14, max_iter=10**9, verbose=1, **settings)


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        patched = mock.patch.object(tempfile, "tempdir", self.folder)
        patched.start()
        self.addCleanup(patched.stop)

    def left(self):
        return glob.glob(os.path.join(self.folder, "*"))

    def fits(self):
        np.testing.assert_array_equal(FlatSVC().fit(X, Y).predict(X), FlatSVC().fit(X, Y).predict(X))
        self.assertEqual(self.left(), [])

    def on_progress(self, do):
        """Has something done, once, when a training says for the first time how far it is."""
        pending = [do]
        return mock.patch("builtins.print", lambda *_, **__: pending and pending.pop()())


class Ends(Case):
    def test_interrupt(self):
        self.fits()
        program = _trainer._current
        with self.on_progress(lambda: signal.raise_signal(signal.SIGINT)), self.assertRaises(KeyboardInterrupt):
            endless().fit(*RANDOM)
        self.assertFalse(program.ended)  # the training has ended, and the program goes on
        self.assertEqual(program._waiting, {})
        self.fits()
        self.assertIs(_trainer._current, program)

    def test_interrupt_while_waiting(self):
        told = threading.Event()

        def interrupt():
            told.wait()
            os.kill(os.getpid(), signal.SIGINT)

        sender = threading.Thread(target=interrupt)
        sender.start()
        with self.on_progress(told.set), self.assertRaises(KeyboardInterrupt):
            endless().fit(*RANDOM)
        sender.join()
        self.fits()

    def test_killed_program(self):
        self.fits()
        with self.on_progress(lambda: _trainer._current._process.kill()), self.assertRaisesRegex(_trainer.TrainingError, "has ended"):
            endless().fit(*RANDOM)
        self.fits()

    def test_killed_while_idle(self):
        self.fits()
        _trainer._current._process.kill()
        _trainer._current._reader.join()
        self.fits()

    @unittest.skipUnless(os.name == "posix", "the stand-in is a script")
    def test_wrong_answers(self):
        """What is no answer ends the program, and is no error but that."""
        stand = os.path.join(self.folder, "stand")
        for wrong in (b"no json\n", b"[]\n", b'{"fit":77}\n', b'{"fit":"1","note":"x"}\n', b'{"fit":1}\n', b'{"fit":1,"trained":{}}\n',
                      b'{"fit":1,"progress":3}\n', b"x" * (1 << 21), b"\xff\n", b""):
            with self.subTest(wrong[:9]), open(stand, "w") as file:
                file.write(f"#!{sys.executable}\nimport os, sys\nsys.stdin.readline()\nos.write(1, {wrong!r})\n{'sys.stdin.read()' if wrong else ''}")
                os.chmod(stand, 0o755)
                file.close()
                with mock.patch.object(_trainer, "find_program", lambda: stand), mock.patch.object(_trainer, "_current", None):
                    with self.assertRaisesRegex(_trainer.TrainingError, f"{stand} has ended"):
                        FlatSVC().fit(X, Y)
                    self.assertTrue(_trainer._current.ended)
        os.remove(stand)
        self.fits()

    @unittest.skipUnless(hasattr(os, "fork"), "there is no fork here")
    def test_fork(self):
        self.fits()
        program = _trainer._current
        child = os.fork()
        if child == 0:
            status = 1
            try:
                FlatSVC().fit(X, Y)
                status = 0 if _trainer._current is not program else 2
            finally:
                os._exit(status)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.fits()
        self.assertIs(_trainer._current, program)

    def test_threads(self):
        want = LabelTreeClassifier().fit(X, Y).predict_proba(X)
        with ThreadPoolExecutor(8) as pool:
            for got in pool.map(lambda _: LabelTreeClassifier().fit(X, Y).predict_proba(X), range(24)):
                np.testing.assert_array_equal(got, want)
        self.assertEqual(self.left(), [])

    def test_one_cancelled_of_two(self):
        """A training that ends early takes no other with it."""
        with ThreadPoolExecutor(1) as pool:
            with self.on_progress(lambda: signal.raise_signal(signal.SIGINT)), self.assertRaises(KeyboardInterrupt):
                other = pool.submit(lambda: LabelTreeClassifier(tol=1e-9).fit(RANDOM[0], RANDOM[1]).n_iter_)
                endless().fit(*RANDOM)
            self.assertGreater(other.result(), 0)

    def script(self, text, **environment):
        return subprocess.Popen([sys.executable, "-c", textwrap.dedent(text)], env={**os.environ, "TMPDIR": self.folder, "PYTHONUNBUFFERED": "1", **environment},
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    ENDLESS = """
        import numpy as np, os
        from hierml import _trainer
        from hierml.sklearn import FlatSVC
        X, y = np.random.default_rng(2).normal(size=(2000, 100)), np.random.default_rng(3).integers(0, 10, 2000)
        FlatSVC(C=1e6, tol=1e-14, max_iter=10**9, verbose=1).fit(X, y)
    """

    @unittest.skipUnless(hasattr(signal, "SIGKILL"), "no process is killed here")
    def test_killed_parent(self):
        """The program ends with Python, and removes the folder of the training."""
        with self.script(self.ENDLESS) as script:
            self.assertIn("training", script.stdout.readline())
            self.assertEqual(len(self.left()), 1)
            script.kill()
        while self.left():
            time.sleep(0.01)

    def test_exit(self):
        """Nothing is left where Python ends in the ordinary way, or by an interrupt."""
        with self.script(self.ENDLESS) as script:
            self.assertIn("training", script.stdout.readline())
            script.send_signal(signal.SIGINT)
            self.assertIn("KeyboardInterrupt", script.communicate()[1])
        self.assertEqual(self.left(), [])

    def test_without_program(self):
        with self.script("""
            from hierml.sklearn import FlatSVC
            try:
                FlatSVC().fit([[0], [1]], [0, 1])
            except Exception as error:
                print(type(error).__name__, error)
        """, PATH="") as script:
            said, errors = script.communicate()
        self.assertRegex(said, "TrainingError .*install the wheel of hierml", errors)

    @unittest.skipUnless(os.name == "posix", "the stand-in is a script")
    def test_deaf_program(self):
        """A program that does not end a training is killed, and the interrupt remains what it is."""
        stand = os.path.join(self.folder, "stand")
        with open(stand, "w") as file:
            told = b'{"fit":1,"progress":{"what":"training","done":null,"how":"deaf"}}\n'
            file.write(f"#!{sys.executable}\nimport os, sys\nsys.stdin.readline()\nos.write(1, {told!r})\nsys.stdin.read()\n")
        os.chmod(stand, 0o755)
        with mock.patch.object(_trainer, "find_program", lambda: stand), mock.patch.object(_trainer, "_current", None), mock.patch.object(_trainer, "_PATIENCE", 0.1):
            with self.on_progress(lambda: signal.raise_signal(signal.SIGINT)), self.assertRaises(KeyboardInterrupt):
                FlatSVC(verbose=1).fit(X, Y)
            _trainer._current._reader.join()
            self.assertTrue(_trainer._current.ended)
        os.remove(stand)
        self.fits()

    @unittest.skipUnless(os.name == "posix", "the stand-in is no program")
    def test_no_program(self):
        """A file that cannot be started is named."""
        stand = os.path.join(self.folder, "stand")
        for mode in (0o755, 0o644):
            with open(stand, "wb") as file:
                file.write(b"\0no program")
            os.chmod(stand, mode)
            with mock.patch.object(_trainer, "find_program", lambda: stand), mock.patch.object(_trainer, "_current", None):
                with self.assertRaisesRegex(_trainer.TrainingError, f"{stand} cannot be started"):
                    FlatSVC().fit(X, Y)
            os.remove(stand)
        self.fits()

    def test_folder(self):
        """Only this user can look into the folder of a training, and it has no link that is followed."""
        seen = []
        make = tempfile.mkdtemp

        def made(**settings):
            folder = make(**settings)
            seen.append(os.stat(folder).st_mode & 0o777)
            os.symlink(os.path.join(self.folder, "elsewhere"), os.path.join(folder, "data"))
            return folder

        with mock.patch.object(tempfile, "mkdtemp", made), self.assertRaises(FileExistsError):
            FlatSVC().fit(X, Y)
        self.assertEqual(seen, [0o700])
        self.assertEqual(self.left(), [])

    def test_no_folder(self):
        with mock.patch.object(tempfile, "tempdir", os.path.join(self.folder, "none")), self.assertRaises(FileNotFoundError):
            FlatSVC().fit(X, Y)
        self.fits()


if __name__ == "__main__":
    unittest.main()
