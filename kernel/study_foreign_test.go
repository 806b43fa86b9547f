//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestStudyFromElsewhere has studies whose files and folders were made to do harm. Whatever is done
// with them, nothing outside changes, no program of Slurm's is given what it is not asked for, and
// no process ends.
func TestStudyFromElsewhere(t *testing.T) {
	dir := write(t, "s.json", `{
		"Name": "$(touch PWNED)",
		"Data": [{"Name": "tree", "Generator": {"synthetic.LinearTree": {"Depth": 1, "Features": 3, "Instances": 20}}}],
		"Methods": [{"Name": "flat", "Estimator": "perceptron.Flat"}], "Measures": ["accuracy"]
	}`)
	at := func(names ...string) string { return filepath.Join(append([]string{dir}, names...)...) }
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) result {
		t.Helper()
		return hierml(t, dir, "", append([]string{"study"}, args...)...)
	}
	const precious = "alias ll='ls -l'"
	must(errors.Join(os.WriteFile(at("bashrc"), []byte(precious), 0o600), os.Mkdir(at("home"), 0o700)))
	for _, name := range []string{"study.json", "plan.json", "cells.jsonl", "lock", "farm.json"} {
		must(errors.Join(os.RemoveAll(at("s.study")), os.Mkdir(at("s.study"), 0o700), os.Symlink("../bashrc", at("s.study", name))))
		if got := run("run", "s.json"); got.status != 1 || !strings.Contains(got.stderr, filepath.Join("s.study", name)+" is a link") {
			t.Errorf("%s as a link: %+v", name, got)
		}
	}
	must(errors.Join(os.RemoveAll(at("s.study")), os.Symlink("home", at("s.study"))))
	if got := run("run", "s.json"); got.status != 1 || !strings.Contains(got.stderr, "s.study is a link, or not a folder. Remove it, or name a directory by --dir") {
		t.Errorf("the directory as a link: %+v", got)
	}
	must(os.Remove(at("s.study")))
	text, err := os.ReadFile(at("s.json"))
	must(err)
	for further, want := range map[string]string{
		`"Directory": "/tmp/x",`: "leads out of the folder of its file",
		`"Directory": "../x",`:   "leads out of the folder of its file",
		`"Farm": {"farm.Slurm": {"Options": ["--wr=touch PWNED"]}},`:                                                  "which a file cannot choose",
		`"Methods": [{"Estimator": {"svm.OneVsRest": {"Settings": {"Farm": "farm.Local", "Directory": "x"}}}}],`:      "can be set in Go only",
		`"Methods": [{"Estimator": {"svm.Flat": {"Settings": {"Checkpoint": "` + at("home", "checkpoint") + `"}}}}],`: "in the working folder only",
	} {
		changed := strings.Replace(string(text), `"Measures"`, further+` "Measures"`, 1)
		if strings.Contains(further, "Methods") {
			changed = strings.Replace(changed, `"Methods": [{"Name": "flat", "Estimator": "perceptron.Flat"}], `, "", 1)
		}
		must(os.WriteFile(at("t.json"), []byte(changed), 0o600))
		if got := run("run", "t.json"); got.status != 1 || !strings.Contains(got.stderr, want) {
			t.Errorf("%s: %+v, want %q", further, got, want)
		}
	}
	// A finished study, whose farm.json names jobs that are not its own.
	ran := at("ran")
	must(os.Mkdir(at("bin"), 0o700))
	for _, program := range []string{"sbatch", "squeue", "scancel", "scontrol"} {
		must(os.WriteFile(at("bin", program), []byte("#!/bin/sh\necho "+program+` "$*" >> `+ran+"\ntest "+program+" != squeue || echo '7|0|RUNNING|n1|None'\n"), 0o700))
	}
	t.Setenv("PATH", at("bin")+":"+os.Getenv("PATH"))
	if got := run("run", "s.json"); got.status != 0 {
		t.Fatalf("%+v", got)
	}
	innocent := exec.Command("sleep", "1000")
	innocent.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	must(innocent.Start())
	ended := make(chan error, 1)
	go func() { ended <- innocent.Wait() }()
	job := at("s.study", "log", "local-1")
	must(errors.Join(os.MkdirAll(job, 0o700), os.Mkdir(at("s.study", "jobs"), 0o700), os.WriteFile(at("s.study", "jobs", "0001-1.json"), []byte("{}"), 0o600), os.WriteFile(filepath.Join(job, "parts"), []byte("1\n"), 0o600), os.WriteFile(filepath.Join(job, "leader"), fmt.Appendln(nil, innocent.Process.Pid), 0o600)))
	for _, test := range []struct {
		kind, id string
		args     []string
		status   int
		says     string
	}{
		{"farm.Local", job, []string{"stop", "s.study"}, 0, ""},
		{"farm.Local", job, []string{"run", "s.json", "--on", "local"}, 0, ""},
		{"farm.Local", job, []string{"run", "s.json"}, 0, ""},
		{"farm.Local", at("home"), []string{"stop", "s.study"}, 1, "which does not belong to its directory"},
		{"farm.Slurm", "--me", []string{"stop", "s.study"}, 1, `"--me" is not the id of a Slurm job`},
		{"farm.Slurm", "--me", []string{"run", "s.json", "--on", "slurm"}, 1, `"--me" is not the id of a Slurm job`},
		{"farm.Slurm", "7", []string{"run", "s.json", "--on", "slurm"}, 0, "job 7 was not stopped, because nothing but " + at("s.study", "farm.json") + " names it"},
	} {
		must(os.WriteFile(at("s.study", "farm.json"), fmt.Appendf(nil, `{"Farm": %q, "Attempts": [[{"Name": "0001-1", "ID": %q}]]}`, test.kind, test.id), 0o600))
		if got := run(test.args...); got.status != test.status || !strings.Contains(got.stdout+got.stderr, test.says) {
			t.Errorf("%+v: %+v", test, got)
		}
	}
	if text, err := os.ReadFile(ran); err != nil || strings.Contains(string(text), "scancel") || strings.Contains(string(text), "sbatch") {
		t.Errorf("these ran: %s, %v", text, err)
	}
	if got := run("stop", "s.study"); got.status != 0 {
		t.Errorf("%+v", got)
	}
	if text, err := os.ReadFile(ran); err != nil || !strings.HasSuffix(string(text), "scancel --quiet --name=hierml-0001-1 -- 7\n") {
		t.Errorf("when it is asked to stop, these ran: %s, %v", text, err)
	}
	select {
	case err := <-ended:
		t.Errorf("a process that is none of the study's was ended: %v", err)
	default:
		must(innocent.Process.Kill())
		<-ended
	}
	if text, err := os.ReadFile(at("bashrc")); err != nil || string(text) != precious {
		t.Errorf("the file has %q, %v", text, err)
	}
	for _, name := range []string{"home/study.json", "home/lock", "home/checkpoint", "PWNED", "t.study"} {
		if _, err := os.Lstat(at(name)); err == nil {
			t.Errorf("there is %s", name)
		}
	}
}
