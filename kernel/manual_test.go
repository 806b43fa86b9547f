package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/hierml/notebook/internal/notebook"
)

var update = flag.Bool("update", false, "write the golden files anew")

// documented are the commands that people call.
func documented() []*cobra.Command {
	return slices.DeleteFunc(all(command()), func(c *cobra.Command) bool { return c.Hidden || c.IsAdditionalHelpTopicCommand() })
}

// examples are the command lines of hierml in the examples of a command, without what they are
// joined with.
func examples(cmd *cobra.Command) []string {
	var found []string
	for line := range strings.Lines(cmd.Example) {
		line, _, _ = strings.Cut(line, " #")
		for part := range strings.SplitSeq(line, "&&") {
			part, _, _ = strings.Cut(part, " | ")
			part, _, _ = strings.Cut(part, " > ")
			part, _, _ = strings.Cut(part, " < ")
			if part = strings.TrimSpace(part); strings.HasPrefix(part, "hierml ") {
				found = append(found, part)
			}
		}
	}
	return found
}

// words splits a command line at spaces that are not in quotes.
func words(line string) []string {
	var list []string
	quoted := false
	for _, part := range strings.FieldsFunc(line, func(r rune) bool {
		if r == '"' {
			quoted = !quoted
		}
		return r == ' ' && !quoted
	}) {
		list = append(list, strings.ReplaceAll(part, `"`, ""))
	}
	return list
}

// TestManuals holds that each command tells what it does, with an example that its own parser
// takes.
func TestManuals(t *testing.T) {
	for _, cmd := range documented() {
		if cmd.Short == "" || cmd.Long == "" {
			t.Errorf("%s has no description", cmd.CommandPath())
		}
		lines := examples(cmd)
		if len(lines) == 0 {
			t.Errorf("%s has no example", cmd.CommandPath())
		}
		for _, line := range lines {
			root := command()
			found, rest, err := root.Find(words(line)[1:])
			if err == nil {
				err = found.ParseFlags(rest)
			}
			if err == nil {
				err = found.ValidateArgs(found.Flags().Args())
			}
			if err != nil || found == root {
				t.Errorf("%s: the example %q is not a command line: %v", cmd.CommandPath(), line, err)
			}
		}
	}
}

// TestManualsTable holds that what manuals say is of commands, topics and variables that there are.
func TestManualsTable(t *testing.T) {
	root := command()
	there := func(path string) bool {
		found, rest, err := root.Find(strings.Fields(path))
		return err == nil && len(rest) == 0 && (path == "" || found != root)
	}
	for path, m := range manuals {
		if !there(path) {
			t.Errorf("there is no command %q", path)
		}
		for _, name := range m.environment {
			if variable(name) == "" {
				t.Errorf("%s: nothing is known of %s", path, name)
			}
		}
		for _, see := range m.see {
			if !there(strings.TrimPrefix(see, "help ")) {
				t.Errorf("%s: see %q, which is not there", path, see)
			}
		}
	}
}

func TestHelp(t *testing.T) {
	dir := t.TempDir()
	for _, cmd := range all(command()) {
		if cmd.Hidden {
			continue
		}
		args := strings.Fields(cmd.CommandPath())[1:]
		got := hierml(t, dir, "", append([]string{"help"}, args...)...)
		if got.status != 0 || got.stderr != "" || !strings.HasPrefix(got.stdout, "NAME\n  "+strings.ReplaceAll(cmd.CommandPath(), " ", "-")+" - ") {
			t.Errorf("help %s: %+v", args, got)
		}
		for line := range strings.Lines(got.stdout) {
			if utf8.RuneCountInString(line) > 100 {
				t.Errorf("help %s: a line is too long: %s", args, line)
			}
		}
		if cmd.IsAdditionalHelpTopicCommand() {
			continue
		}
		if other := hierml(t, dir, "", append(args, "--help")...); other != got {
			t.Errorf("%s --help is not what help %[1]s prints:\n%s", args, other.stdout)
		}
		for _, heading := range []string{"SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES", "EXIT STATUS", "SEE ALSO"} {
			if !strings.Contains(got.stdout, "\n"+heading+"\n") {
				t.Errorf("help %s has no %s", args, heading)
			}
		}
	}
	if got, want := hierml(t, dir, "", "help", "nothing"), (result{"", "hierml: unknown command or topic \"nothing\"; hierml has: cells, completion, data, display, doctor, engine, environment, evaluate, help, kernel, lab, licences, lite, notebook, notebooks, predict, repl, run, study, train, version\nSee 'hierml --help'.\n", 2}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	got := hierml(t, dir, "", "help", "notebook", "check").stdout
	golden := filepath.Join("testdata", "check.help.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(golden); err != nil || got != string(want) {
		t.Errorf("the help is not %s; see what changed with go test -update and git diff. It is:\n%s%v", golden, got, err)
	}
}

// TestExamples runs the examples that need nothing but a notebook and a script, with the shell.
func TestExamples(t *testing.T) {
	dir := t.TempDir()
	stored(t, dir, "notes.ipynb", []string{`fmt.Println("loss", 0.5)`}, nil, nil)
	stored(t, dir, "study.ipynb", []string{"C, set := 1.0, \"webkb\"\ngrid := []float64{1}", `fmt.Println(C, set, grid)`}, nil, map[int]string{0: notebook.Parameters})
	for name, text := range map[string]string{"experiment.go": "fmt.Println(os.Args[1:])\n", "notebooks/notes.ipynb": contentsOf(t, dir, "notes.ipynb")} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", filepath.Dir(binary)+string(os.PathListSeparator)+os.Getenv("PATH"))
	for _, path := range []string{"run", "notebook", "notebook run", "notebook check", "notebook export", "notebook clear", "data list", "version", "help"} {
		cmd := commandAt(command(), path)
		for line := range strings.Lines(cmd.Example) {
			if !strings.HasPrefix(line, "  hierml ") {
				continue
			}
			sh := exec.CommandContext(t.Context(), "sh", "-c", line)
			sh.Dir = dir
			if out, err := sh.CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", strings.TrimSpace(line), err, out)
			}
			if path == "notebook clear" { // what it cleared, the next example is to clear too
				stored(t, dir, "notes.ipynb", []string{`1`}, nil, nil)
			}
		}
	}
}

func TestCompletion(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		args string // behind hierml; the last word is what is being completed
		want string // the proposals, without their descriptions, and what the shell is to do
	}{
		{"note|", "notebook :4"},
		{"notebook c|", "check clear :4"},
		{"notebook check |", "ipynb :8"},
		{"notebook check a.ipynb |", "ipynb :8"},
		{"notebook run a.ipynb |", ":4"},
		{"notebook export --format |", "program html markdown :4"},
		{"notebook export -o |", "go html md :8"},
		{"run |", "go :8"},
		{"run a.go |", ":0"},
		{"run --engine |", "auto interpreted compiled :4"},
		{"data get lyrl|", "lyrl2004 :4"},
		{"data get lyrl2004 |", ":4"},
		{"study run |", "json :8"},
		{"study show |", ":16"},
		{"study show --format |", "text csv json jsonl html latex :4"},
		{"study cell missing |", "_activeHelp_ :4"},
		{"help cel|", "cells :4"},
		{"help notebook ex|", "export :4"},
		{"completion |", "bash fish powershell zsh :4"},
	} {
		line := strings.TrimSuffix(c.args, "|")
		args := append([]string{"__complete"}, strings.Split(line, " ")...)
		got := hierml(t, dir, "", args...)
		var proposals []string
		for p := range strings.Lines(got.stdout) {
			p, _, _ = strings.Cut(strings.TrimSpace(p), "\t")
			p, _, _ = strings.Cut(p, " ")
			proposals = append(proposals, p)
		}
		if said := strings.Join(proposals, " "); said != c.want || got.status != 0 {
			t.Errorf("hierml %s proposes %q, status %d; want %q", c.args, said, got.status, c.want)
		}
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		got := hierml(t, dir, "", "completion", shell)
		if got.status != 0 || got.stderr != "" || !strings.Contains(got.stdout, "hierml") {
			t.Errorf("completion %s: status %d, %s", shell, got.status, got.stderr)
		}
		path, err := exec.LookPath(shell)
		if err != nil || shell == "powershell" {
			continue
		}
		check := exec.CommandContext(t.Context(), path, "-n")
		check.Stdin = strings.NewReader(got.stdout)
		if out, err := check.CombinedOutput(); err != nil {
			t.Errorf("%s does not take its completion: %v\n%s", shell, err, out)
		}
	}
}

// TestCompletionOfStudy holds that what a study has is proposed.
func TestCompletionOfStudy(t *testing.T) {
	dir := write(t, "a.json", `{
		"Data": [{"Name": "tree", "Generator": {"synthetic.LinearTree": {"Depth": 2, "Features": 5, "Instances": 60}}}],
		"Methods": [{"Name": "flat", "Estimator": {"svm.Flat": {"Settings": {"Gap": 0.1}}}}, {"Name": "perceptron", "Estimator": "perceptron.Flat"}],
		"Measures": ["accuracy", "tree loss"]
	}`)
	if got := hierml(t, dir, "", "study", "run", "a.json"); got.status != 0 {
		t.Fatalf("%+v", got)
	}
	for args, want := range map[string][]string{
		"study show a.study --measure |":     {"accuracy", "tree loss"},
		"study show a.study --baseline per|": {"perceptron"},
		"study cell a.study |":               {"", ""}, // two random keys
	} {
		got := hierml(t, dir, "", append([]string{"__complete"}, strings.Split(strings.TrimSuffix(args, "|"), " ")...)...)
		lines := strings.Split(strings.TrimSpace(got.stdout), "\n")
		if got.status != 0 || len(lines) != len(want)+1 || lines[len(want)] != ":4" {
			t.Fatalf("%s: %+v", args, got)
		}
		for i, w := range want {
			name, what, _ := strings.Cut(lines[i], "\t")
			if w != "" && name != w || w == "" && (len(name) < 8 || !strings.HasPrefix(what, "tree ")) {
				t.Errorf("%s: proposes %q, want %q", args, lines[i], w)
			}
		}
	}
}
