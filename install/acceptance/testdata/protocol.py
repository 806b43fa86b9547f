"""Jupyter's own suite for kernels, with Go for samples.

Prints one line of JSON a test: its name, "passed", "skipped" or "failed", and why.
"""
import json
import unittest

import jupyter_kernel_test


class Hierml(jupyter_kernel_test.KernelTests):
    kernel_name = "hierml"
    language_name = "go"
    file_extension = ".go"
    code_hello_world = 'fmt.Println("hello, world")'
    code_stderr = 'fmt.Fprintln(os.Stderr, "oh, world")'
    code_execute_result = [
        {"code": "6 * 7", "result": "42"},
        {"code": 'strings.ToUpper("a")', "result": "A"},
    ]
    code_generate_error = 'panic("at the disco")'
    code_display_data = [
        {"code": 'nb.HTML("<b>bold</b>")', "mime": "text/html"},
    ]
    supported_history_operations = ("tail", "range", "search")
    code_history_pattern = "6 ? 7"
    code_clear_output = "nb.Clear()"
    complete_code_samples = ["x := 1", "func double(n int) int {\n\treturn 2 * n\n}", 'import "fmt"', "// only a word"]
    incomplete_code_samples = ["func double(n int) int {", "if true {", "x := `raw", "y := 1 +", "f("]
    invalid_code_samples = ["func = 7", "x := )", "}"]


class HiermlWelcome(jupyter_kernel_test.IopubWelcomeTests):
    kernel_name = "hierml"
    support_iopub_welcome = True


class Result(unittest.TestResult):
    def say(self, test, outcome, why=""):
        print(json.dumps({"test": test.id().rsplit(".", 1)[-1], "outcome": outcome, "why": why}), flush=True)

    def addSuccess(self, test):
        self.say(test, "passed")

    def addSkip(self, test, reason):
        self.say(test, "skipped", reason)

    def addError(self, test, err):
        self.say(test, "failed", self._exc_info_to_string(err, test))

    addFailure = addError

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.addError(test, err)


if __name__ == "__main__":
    for case in (Hierml, HiermlWelcome):
        unittest.defaultTestLoader.loadTestsFromTestCase(case).run(Result())
