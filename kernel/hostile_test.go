package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/program"
)

const (
	order   = "\x1b]52;c;eA==\x07" // writes into the clipboard
	ordered = `\x1b]52;c;eA==\x07`
)

// TestNamesOnTerminals is the finding html_terminal: names in files are no orders to the terminal.
func TestNamesOnTerminals(t *testing.T) {
	dir := write(t, "study.json", `{
		"Name": "a\u001b]52;c;eA==\u0007",
		"Data": [{"Name": "=1+1", "Generator": {"synthetic.LinearTree": {"Depth": 1, "Features": 3, "Instances": 20}}}],
		"Methods": [{"Name": "-b\u001b]52;c;eA==\u0007", "Estimator": "perceptron.Flat"}],
		"Repeats": 2, "Measures": ["accuracy"]
	}`)
	for _, args := range []string{"run study.json", "show study.study", "run study.json --retry"} {
		got := hierml(t, dir, "", append([]string{"study"}, strings.Fields(args)...)...)
		if got.status != 0 || strings.Contains(got.stdout+got.stderr, "\x1b") || !strings.Contains(got.stdout, ordered) {
			t.Errorf("study %s: status %d\n%q\n%q", args, got.status, got.stdout, got.stderr)
		}
	}
	// The finding html_study_formats.
	got := hierml(t, dir, "", "study", "show", "study.study", "--format", "csv")
	if got.status != 0 || !strings.Contains(got.stdout, ",'=1+1,'-b") {
		t.Errorf("status %d\n%q\n%q", got.status, got.stdout, got.stderr)
	}
}

func TestErrorsOnTerminals(t *testing.T) {
	for _, err := range []error{
		errors.New("of " + order),
		&program.Error{Name: "E", Traceback: []string{"\x1b[31mof\x1b[0m " + order}},
	} {
		var b bytes.Buffer
		status(err, &b)
		if strings.Contains(b.String(), "\x1b") || !strings.Contains(b.String(), "of "+ordered) {
			t.Errorf("got %q", b.String())
		}
	}
}
