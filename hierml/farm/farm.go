// Package farm runs parts of a computation with an existing engine, on other machines ([Slurm]) or
// as processes on this one ([Local]).
//
// A computation has n parts. Part i is the same command with another i, which reads and writes a
// directory that all machines can access. It stores finished work there at once, and skips work
// that it finds there, so it may be killed, run again, and run twice. The engine decides where and
// when parts run, and bounds their resources. The submitter decides what to do when a part is lost.
// See package experiment, which computes studies in this way.
package farm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/hierml/notebook/internal/folder"
)

// The environment variables that tell a process that it is a part.
const (
	PartVariable       = "HIERML_PART"       // its number, from 0
	PartsVariable      = "HIERML_PARTS"      // how many there are
	ProcessorsVariable = "HIERML_PROCESSORS" // how many it may use
	MachineVariable    = "HIERML_MACHINE"    // the name of its machine
	// the MiB that it was promised; empty where nothing was
	MemoryVariable = "HIERML_MEMORY"
)

// Job is a computation in parts.
type Job struct {
	// Name is shown by the engine's tools. Two jobs with the same folder Log must have different
	// names.
	Name string
	// Directory is the working directory of the parts, an absolute path.
	Directory string
	// Log is the folder for a file NAME_PART.txt with the output of each part. It is the absolute
	// path of an existing folder. If one of these files exists and is a link or not a regular file,
	// the job is an error.
	Log string
	// Parts is their number, 1 or more.
	Parts int
	// Command is run for each part, with the variables above. Its first word is the path of a
	// program, the same on all machines.
	Command []string
	// Environment has further variables, as "NAME=value". Others are those of the process that
	// submits the job.
	Environment []string
	// After, if not empty, is the id of a job that must end, in any way, before this one starts.
	After string
}

// check returns an error if a job is invalid.
func (j *Job) check() error {
	switch {
	case j.Parts < 1:
		return fmt.Errorf("farm: a job of %d parts; it needs at least 1", j.Parts)
	case j.Name == "" || strings.ContainsAny(j.Name, "/%\\") || strings.HasPrefix(j.Name, "-") || strings.ContainsFunc(j.Name, unicode.IsControl):
		return fmt.Errorf("farm: %q cannot be the name of a job, which becomes part of a file name; leave out /, %%, \\ and a leading -", j.Name)
	case len(j.Command) == 0:
		return errors.New("farm: the job has no command")
	case !filepath.IsAbs(j.Directory) || !filepath.IsAbs(j.Log):
		return fmt.Errorf("farm: the folders of a job are %q and %q; both must be absolute paths, because it runs elsewhere", j.Directory, j.Log)
	}
	for _, variable := range j.Environment {
		if !assignment.MatchString(variable) {
			return fmt.Errorf("farm: %q in the environment of a job is not NAME=value", variable)
		}
	}
	return j.checkLogs()
}

// assignment is the form of a variable of the environment, whose name a shell takes as it is.
var assignment = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`)

// checkLogs is an error if a part would print into something else than a file of its own.
func (j *Job) checkLogs() error {
	logs := folder.Folder(j.Log)
	entries, err := logs.List(".")
	if err != nil {
		return fmt.Errorf("farm: %w", err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), j.Name+"_") || filepath.Ext(e.Name()) != ".txt" {
			continue
		}
		file, err := logs.Update(e.Name())
		if err == nil {
			err = file.Close()
		}
		if err != nil {
			return fmt.Errorf("farm: %w", err)
		}
	}
	return nil
}

// State is the state of a job.
type State struct {
	Waiting int // parts that have not begun, and will
	Running int
	// Machines are the names of those on which parts run, each once, sorted.
	Machines []string
	// Failed has the parts that failed, as far as the engine remembers them.
	Failed []Failure
	// Over means that no part runs or will run.
	Over bool
}

// Failure is a failed part.
type Failure struct {
	Part    int    // -1 where the engine does not say which
	Machine string // "" if it was not given one
	Reason  string // a word of the engine's
}

// Failed is the reason of a part whose command ended with another status than 0, or could not be
// started.
const Failed = "FAILED"

// Farm is an engine. Its methods return as soon as the engine has answered; an error that is not
// ctx's says in a sentence what the engine answered.
type Farm interface {
	// Submit has a job run, and returns the id by which any process of the user's knows it.
	Submit(ctx context.Context, j Job) (id string, err error)
	// State says how a job stands. One that the engine does not know any more is over.
	State(ctx context.Context, id string) (State, error)
	// Cancel ends jobs. One that is over stays so.
	Cancel(ctx context.Context, ids ...string) error
}

// Machine returns the name of the machine that a part runs on.
func Machine() string {
	name, _ := os.Hostname() // one that has no name is called so
	return cmp.Or(os.Getenv(MachineVariable), name, "without a name")
}

// Part returns the number of the part that this process is, and false if it is none.
func Part() (number int, ok bool, err error) {
	text, ok := os.LookupEnv(PartVariable)
	if !ok {
		return 0, false, nil
	}
	number, err = strconv.Atoi(text)
	if err != nil || number < 0 {
		return 0, true, fmt.Errorf("farm: %s is %q; it must be the number of a part, from 0", PartVariable, text)
	}
	return number, true, nil
}

// script is the text for a shell that becomes a part. Variables are given as the shell reads them.
func (j *Job) script(part, processors, machine, memory string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "export %s=%s %s=%d %s=%s %s=%s %s=%s\n", PartVariable, part, PartsVariable, j.Parts,
		ProcessorsVariable, processors, MachineVariable, machine, MemoryVariable, memory)
	for _, variable := range j.Environment {
		name, value, _ := strings.Cut(variable, "=")
		fmt.Fprintf(&b, "export %s=%s\n", name, quote(value))
	}
	b.WriteString("exec")
	for _, word := range j.Command {
		b.WriteString(" " + quote(word))
	}
	b.WriteString("\n")
	return b.String()
}

// quote writes a word for a shell.
func quote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// because is the error of a program that was run, in a line.
func because(program string, err error) error {
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		var lines []string
		for line := range strings.Lines(string(exit.Stderr)) {
			line = strings.TrimPrefix(strings.TrimSpace(line), program+": ")
			if line = strings.TrimPrefix(line, "error: "); line != "" {
				lines = append(lines, line)
			}
		}
		if len(lines) > 0 {
			return fmt.Errorf("farm: %s says: %s", program, strings.Join(lines, "; "))
		}
	}
	return fmt.Errorf("farm: %s: %w", program, err)
}
