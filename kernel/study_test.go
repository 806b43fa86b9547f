package main

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

const smallStudy = `{
	"Name": "small",
	"Data": [{"Name": "tree", "Generator": {"synthetic.LinearTree": {"Depth": 2, "Features": 5, "Instances": 60}}}],
	"Methods": [
		{"Name": "flat", "Estimator": {"svm.Flat": {"Settings": {"Gap": 0.1}}}, "Grid": {"C": [0.1, 10]}},
		{"Name": "perceptron", "Estimator": "perceptron.Flat"},
		{"Name": "odd", "Estimator": {"svm.Orthogonal": {"Alpha": 1000}}}
	],
	"Inner": {"Folds": 2}, "Repeats": 2, "Measures": ["accuracy", "tree loss"], "Baseline": "flat"
}`

// TestStudy runs a study, shows it and runs one of its cells again.
func TestStudy(t *testing.T) {
	dir := write(t, "a.json", smallStudy)
	if err := os.WriteFile(filepath.Join(dir, "b.json"), []byte("{\"Methods\": [\n{\"Estimator\": \"svm.Flut\"}],\n \"Data\": [{\"Open\": \"x\"}]}"), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) result { return hierml(t, dir, "", append([]string{"study"}, args...)...) }
	for _, test := range []struct {
		args   []string
		status int
		stdout []string // parts of it
		stderr string   // a part
	}{
		{nil, 0, []string{"COMMANDS", "svm.Normalized"}, ""},
		{[]string{"run"}, 2, nil, "missing argument FILE.json"},
		{[]string{"run", "c.json"}, 1, nil, "open c.json: no such file or directory"},
		{[]string{"run", "b.json"}, 1, nil, `hierml: b.json: experiment: method "svm.Flut": nothing is called "svm.Flut" here; there are bayes.Multinomial, `},
		{[]string{"show", "a.study"}, 1, nil, "a.study is not the directory of a study"},
		{[]string{"run", "a.json", "--workers", "2"}, 1, []string{"small\n", "perceptron ", "odd on tree: 2 of 2 cells failed: "}, "hierml: 2 of 14 cells failed; see the table. Use --retry to run them again\n"},
		{[]string{"run", "a.json"}, 1, []string{"small\n"}, "14 of 14 cells, 2 failed"},
		{[]string{"run", "a.json", "--dir", "other"}, 1, []string{"small\n"}, ""},
		{[]string{"show", "a.study"}, 0, []string{"small\n", "the paired t-test against flat"}, ""},
		{[]string{"show", "a.study", "--test", "permutation", "--baseline", "perceptron"}, 0, []string{"permutation test against perceptron"}, ""},
		{[]string{"show", "a.study", "--baseline", "best"}, 1, nil, `no method is called "best"; there are flat, perceptron, odd`},
		{[]string{"show", "a.study", "--test", "best"}, 1, nil, `no test is called "best"`},
		{[]string{"show", "a.study", "--measure", "macro F1,seconds"}, 0, []string{"macro F1 of all classes ↑", "seconds ↓"}, ""},
		{[]string{"show", "a.study", "--measure", "speed"}, 1, nil, `no measure is called "speed"; there are accuracy`},
		{[]string{"show", "a.study", "--format", "html"}, 0, []string{"<!DOCTYPE html>\n", "<meta charset=\"utf-8\">\n", "<title>small</title>", "<table", "<strong>", "</html>\n"}, ""},
		{[]string{"show", "a.study", "--format", "latex"}, 0, []string{`\begin{tabular}{lllrr}`, `\textbf{`, `\toprule`}, ""},
		{[]string{"show", "a.study", "--format", "json"}, 0, []string{`"baseline": "flat"`, `"interval": {`}, ""},
		{[]string{"show", "a.study", "--format", "jsonl"}, 0, []string{`"method":"flat","settings":{"C":`}, ""},
		{[]string{"show", "a.study", "--format", "pdf"}, 2, nil, `unknown format "pdf"; use text, csv, json, jsonl, html or latex`},
		{[]string{"cell", "a.study", "zz"}, 1, nil, `the study has no cell with the key "zz"`},
	} {
		got := run(test.args...)
		if got.status != test.status || !strings.Contains(got.stderr, test.stderr) {
			t.Errorf("%q: %+v, want status %d and %q", test.args, got, test.status, test.stderr)
		}
		for _, part := range test.stdout {
			if !strings.Contains(got.stdout, part) {
				t.Errorf("%q prints %q without %q", test.args, got.stdout, part)
			}
		}
	}
	text := run("show", "a.study", "--format", "csv").stdout
	if other := run("show", "other", "--format", "csv").stdout; other != text {
		t.Errorf("two runs give\n%s\nand\n%s", text, other)
	}
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(rows) != 1+2*2*2+2+2*2*4 || rows[0][0] != "key" {
		t.Fatalf("%v, %d rows\n%s", err, len(rows), text)
	}
	for _, row := range [][]string{rows[1], rows[len(rows)-1]} {
		if got := run("cell", "a.study", row[0][:8]); got.status != 0 || !strings.HasPrefix(got.stdout, "cell "+row[0]) || got.stderr != "" {
			t.Errorf("cell %s: %+v", row[0], got)
		}
		if got := run("cell", "a.study", row[0][:8], "--json"); got.status != 0 || !strings.Contains(got.stdout, `"Key":"`+row[0]+`"`) || got.stderr != "" {
			t.Errorf("again %v: %+v", row, got)
		}
	}
	cells := filepath.Join(dir, "a.study", "cells.jsonl")
	content, err := os.ReadFile(cells)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.ReplaceAll(string(content), `"Test":`, `"Test":1`)
	if err := os.WriteFile(cells, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := run("cell", "a.study", rows[1][0]); got.status != 1 || !strings.Contains(got.stderr, "has a different result from the one stored in a.study") {
		t.Errorf("%+v", got)
	}
}

// TestStudyExample runs the example in the help on running as it stands there.
func TestStudyExample(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink(binary, filepath.Join(dir, "hierml")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-ec", studyRunCommand().Example)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "HIERML_DATA=", "XDG_CACHE_HOME="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Count(string(out), "hierarchical  ") != 3 || !strings.Contains(string(out), "Data.Columns.Text.NGrams=[1,") || strings.Contains(string(out), "failed") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestStudyOfATable runs a study of a table beside it, here and on a farm, and of one in another
// folder, which the user names.
func TestStudyOfATable(t *testing.T) {
	const table = `name;text;weight;country;label
t1;green tea;120,5;Japan;drink/tea
t2;black tea;;India;drink/tea
t3;tea in bags;90;Japan;drink/tea
t4;green tea;120,5;Japan;drink/tea
c1;dark coffee;250;Kenya;drink/coffee
c2;roasted coffee;500,25;Kenya;drink/coffee
c3;coffee;;Brazil;drink/coffee
c4;coffee of the highlands;1000;Kenya;drink/coffee
b1;rye bread;750;;food/bread
b2;white bread;500;France;food/bread
b3;bread of rye;1000;;food/bread
b4;bread in slices;500;France;food/bread
`
	const study = `{
	"Data": [{"File": "tea.csv", "Reader": {"Label": "label", "ID": "name", "Text": ["text"], "Nominal": ["country"]},
		"Columns": {"Number": {"Missing": "median", "Indicator": true, "Scale": "z-score"}}}],
	"Methods": [{"Name": "normalized", "Estimator": {"svm.Normalized": {"Settings": {"Gap": 0.1}}}, "Grid": {"C": [0.1, 1], "Data.Columns.Number.Log": [false, true]}},
		{"Name": "perceptron", "Estimator": "perceptron.Flat"}],
	"Split": {"Folds": 2}, "Inner": {"HeldOut": 0.3}, "Measures": ["accuracy"]
}`
	dir := write(t, "a.json", study)
	keep := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) result { return hierml(t, dir, "", append([]string{"study"}, args...)...) }
	if got := run("run", "a.json"); got.status != 1 || !strings.Contains(got.stderr, "hierml study run --data FOLDER") {
		t.Errorf("without the table: %+v", got)
	}
	keep("tea.csv", table)
	want := run("run", "a.json")
	if want.status != 0 || !strings.Contains(want.stdout, "Data.Columns.Number.Log=") || !strings.Contains(want.stdout, `for testing and row "t`) {
		t.Errorf("%+v", want)
	}
	for _, note := range []string{"';' is between the fields [Reader{Comma}]", `labels have levels, separated by "/" [Reader{PathSeparator}]`} {
		if !strings.Contains(want.stderr, "tea.csv: "+note) {
			t.Errorf("it says %s without %s", want.stderr, note)
		}
	}
	if got := run("run", "a.json", "--on", "local", "--dir", "far/on.study"); got.status != 0 || got.stdout != want.stdout {
		t.Errorf("on a farm: %+v, want %s", got, want.stdout)
	}
	key, _, _ := strings.Cut(strings.Split(run("show", "a.study", "--format", "csv").stdout, "\n")[1], ",")
	if got := run("cell", "a.study", key); got.status != 0 || !strings.Contains(got.stdout, "chosen") {
		t.Errorf("%+v", got)
	}
	// Its folder is elsewhere, so that the table is not beside it.
	if got := run("cell", "far/on.study", key); got.status != 1 || !strings.Contains(got.stderr, "--data FOLDER") {
		t.Errorf("%+v", got)
	}
	if got := run("cell", "far/on.study", key, "--data", "."); got.status != 0 {
		t.Errorf("%+v", got)
	}
	keep("data/tea.csv", table)
	keep("b/b.json", study)
	if got := run("run", "b/b.json", "--data", "data"); got.status != 0 || got.stdout != want.stdout {
		t.Errorf("with --data: %+v", got)
	}
	if err := os.Symlink("../data/tea.csv", filepath.Join(dir, "b", "tea.csv")); err != nil {
		t.Fatal(err)
	}
	for file, says := range map[string]string{"tea.csv": "tea.csv is a link, and links in this folder are not followed", "../tea.csv": "leads out of the folder of the study", filepath.Join(dir, "tea.csv"): "leads out of the folder of the study"} {
		keep("b/c.json", strings.Replace(study, "tea.csv", file, 1))
		if got := run("run", "b/c.json"); got.status != 1 || !strings.Contains(got.stderr, says) {
			t.Errorf("%s: %+v, want %s", file, got, says)
		}
	}
	keep("c.json", strings.Replace(study, `"Missing": "median", `, "", 1))
	if got := run("run", "c.json"); got.status != 1 || got.stdout != "" || !strings.Contains(got.stderr, `column "weight": 2 of 12 numbers are missing`) {
		t.Errorf("numbers that are missing: %+v", got)
	}
}

// TestStudyInterrupted interrupts a study that would run for a long time, and goes on.
func TestStudyInterrupted(t *testing.T) {
	dir := write(t, "a.json", strings.Replace(smallStudy, `"Repeats": 2`, `"Repeats": 10000`, 1))
	cmd := exec.CommandContext(t.Context(), binary, "study", "run", "a.json")
	cmd.Dir = dir
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stderr)
	lines.Scan() // it has begun
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	last := lines.Text()
	for lines.Scan() {
		last = lines.Text()
	}
	err = cmd.Wait()
	if status := cmd.ProcessState.ExitCode(); status != 130 || stdout.Len() > 0 ||
		!strings.Contains(last, "cells: interrupted; the finished cells are in a.study. Run the same command to resume") {
		t.Fatalf("%v, status %d, %q, %q", err, status, last, stdout.String())
	}
	if got := hierml(t, dir, "", "study", "show", "a.study"); got.status != 0 || !strings.Contains(got.stdout, "cells not finished: run the study again to go on") {
		t.Errorf("%+v", got)
	}
	// A study with fewer repeats has no cells that are not of this one.
	if err := os.WriteFile(filepath.Join(dir, "a.json"), []byte(smallStudy), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := hierml(t, dir, "", "study", "run", "a.json"); got.status != 1 || strings.Contains(got.stdout, "not finished") {
		t.Errorf("%+v", got)
	}
}

// TestStudyOnFarm has processes of this machine compute a study, by the command line, also where
// the file asks for a farm, and as a script with a function, which is its own part.
func TestStudyOnFarm(t *testing.T) {
	dir := write(t, "a.json", smallStudy)
	for name, text := range map[string]string{
		"b.json": strings.Replace(smallStudy, `"Name": "small",`, `"Name": "small", "Farm": {"farm.Local": {"Processes": 2}},`, 1),
		"c.go": `study := experiment.Study{
	Data: []experiment.Data{{Name: "tree", Generator: synthetic.LinearTree{Depth: 2, Features: 5, Instances: 60}}},
	Methods: []experiment.Method{{Name: "own", Fit: func(ctx context.Context, d *dataset.Dataset, p experiment.Params) (metric.Scorer, error) {
		return svm.Flat{C: 2, Settings: solver.Settings{Gap: 0.1, Seed: p.Seed}}.Fit(ctx, d)
	}}},
	Repeats: 2, Measures: []string{"accuracy"}, Directory: os.Args[1], Farm: farm.Local{Processes: 2},
}
results := study.Run(context.Background())
fmt.Println(len(results.Cells), results.Missing, results.Cells[0].Error)
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) result { return hierml(t, dir, "", args...) }
	want := run("study", "run", "a.json")
	if got := run("study", "run", "b.json"); got.status != 1 || got.stdout != "" || !strings.Contains(got.stderr, "the study's file asks for a farm, which a file cannot choose: run it with --on slurm or --on local") {
		t.Errorf("a file that asks for a farm: %+v", got)
	}
	if _, err := os.Stat(filepath.Join(dir, "b.study")); err == nil {
		t.Error("it has begun")
	}
	for _, args := range [][]string{{"a.json", "--on", "local", "--dir", "on"}, {"b.json", "--on", "local"}} {
		if got := run(append([]string{"study", "run"}, args...)...); got.status != 1 || got.stdout != want.stdout || !strings.Contains(got.stderr, "2 of 14 cells failed") {
			t.Errorf("%q: %+v, want %q", args, got, want.stdout)
		}
	}
	for _, directory := range []string{"on", "b.study"} {
		if jobs, err := os.ReadDir(filepath.Join(dir, directory, "jobs")); err != nil || len(jobs) != 2 {
			t.Errorf("%s: %v, %v", directory, jobs, err)
		}
	}
	if got := run("run", "c.go", "c.study"); got.status != 0 || got.stdout != "2 0 \n" {
		t.Errorf("a script: %+v", got)
	}
	if parts, err := filepath.Glob(filepath.Join(dir, "c.study", "parts", "*", "1.jsonl")); err != nil || len(parts) != 2 {
		t.Errorf("the script has the parts %q, %v", parts, err)
	}
	for _, test := range []struct {
		args   []string
		status int
		stderr string
	}{
		{[]string{"study", "run", "a.json", "--on", "mars"}, 2, `unknown farm "mars"; use slurm or local`},
		{[]string{"study", "run", "a.json", "--sbatch", "--mem=4G"}, 2, "--sbatch needs --on slurm"},
		{[]string{"study", "run", "a.json", "--on", "slurm", "--sbatch", "mem", "--dir", "new"}, 1, `"mem" is not an option of sbatch`},
		{[]string{"study", "run", "a.json", "--on", "slurm", "--sbatch", "--wr=id", "--dir", "new"}, 1, `the option "--wr" of sbatch is not allowed for a job; use the full name of one of --account`},
		{[]string{"study", "stop", "on"}, 1, "no farm computes anything in on"},
		{[]string{"study", "part"}, 1, "this process is not a part of a study"},
	} {
		if got := run(test.args...); got.status != test.status || !strings.Contains(got.stderr, test.stderr) {
			t.Errorf("%q: %+v, want status %d and %q", test.args, got, test.status, test.stderr)
		}
	}
	t.Setenv("PATH", t.TempDir())
	if got := run("study", "run", "a.json", "--on", "slurm", "--dir", "new"); got.status != 1 || got.stderr != "hierml: farm: there is no program scontrol on this machine; run this where Slurm is installed, such as on the login node of a cluster\n" {
		t.Errorf("without Slurm: %+v", got)
	}
}
