"""Jupyter's own suite for kernels, with Go for every sample that it takes.

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
    completion_samples = [
        {"text": "strings.HasPre", "matches": {"HasPrefix"}},
        {"text": "fmt.Fprint", "matches": {"Fprint", "Fprintf", "Fprintln"}},
        {"text": "no_such_name.x", "matches": set()},
    ]
    code_inspect_sample = "fmt.Println"
    code_page_something = 'nb.Page("a long story")'
    code_generate_error = 'panic("at the disco")'
    code_display_data = [
        {"code": 'nb.Display(7)', "mime": "text/plain"},
        {"code": 'nb.Text("bold")', "mime": "text/plain"},
        {"code": 'nb.HTML("<b>bold</b>")', "mime": "text/html"},
        {"code": 'nb.Markdown("**bold**")', "mime": "text/markdown"},
        {"code": 'nb.LaTeX("$x^2$")', "mime": "text/latex"},
        {"code": 'nb.SVG("<svg xmlns=\\"http://www.w3.org/2000/svg\\"/>")', "mime": "image/svg+xml"},
        {"code": 'nb.PNG([]byte("\\x89PNG"))', "mime": "image/png"},
        {"code": 'nb.JPEG([]byte("\\xff\\xd8"))', "mime": "image/jpeg"},
        {"code": 'nb.JSON(map[string]int{"a": 1})', "mime": "application/json"},
        {"code": 'nb.JavaScript("1 + 1")', "mime": "application/javascript"},
        {"code": 'nb.VegaLite(map[string]any{"mark": "bar"})', "mime": "application/vnd.vegalite.v5+json"},
        {"code": 'nb.MIME("application/geo+json", map[string]any{"type": "Point"})', "mime": "application/geo+json"},
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
