package farm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/hierml/notebook/internal/folder"
	"github.com/hierml/notebook/internal/machine"
)

// Local runs the parts of a job as processes of this machine. They go on when the process that has
// submitted them ends. A machine that is started again has forgotten them.
//
// The id of a job is a folder in its Log. No process is taken for the one that leads the job, or
// signalled, for its number alone: it began at the same time of the same start of the machine,
// leads a group of processes, and its command names the folder.
type Local struct {
	// Processes is the number of parts that run at the same time, each with its share of the
	// processors. The default value is the number of processors.
	Processes int
}

// The files of a job of Local, in the folder that is its id.
const (
	leaderFile = "leader" // the leader of the job
	partsFile  = "parts"  // their number
	overFile   = "over"   // is there when all have ended
)

// Submit implements Farm.
func (l Local) Submit(ctx context.Context, j Job) (string, error) {
	if err := j.check(); err != nil {
		return "", err
	}
	if l.Processes < 0 {
		return "", fmt.Errorf("farm: Local.Processes is %d; it must not be negative", l.Processes)
	}
	if _, err := exec.LookPath("sh"); err != nil {
		return "", fmt.Errorf("farm: Local starts processes with sh, which is not on this machine: %w", err)
	}
	id, err := os.MkdirTemp(j.Log, "local-")
	if err != nil {
		return "", fmt.Errorf("farm: %w", err)
	}
	if err := l.start(&j, id); err != nil {
		return "", errors.Join(err, os.RemoveAll(id))
	}
	return id, nil
}

// start starts the leader of a job, whose folder is new.
func (l Local) start(j *Job, id string) error {
	processes := cmp.Or(l.Processes, machine.Processors())
	share := max(1, machine.Processors()/processes)
	one := "exec > " + quote(filepath.Join(j.Log, j.Name)) + "_$1.txt 2>&1\n" + j.script("$1", strconv.Itoa(share), "$(uname -n)", "''")
	// What a part leaves: N.begun and, with its status, N.ended.
	part := fmt.Sprintf("cd %s || exit 1; : > %s/$1.begun; (\n%s); echo $? > %s/$1.ended\n", quote(j.Directory), quote(id), one, quote(id))
	// The leader ends its group itself when it is told to end: no one else has to know the group.
	all := "trap 'trap \"\" TERM; kill -TERM 0; exit 143' TERM\n"
	if j.After != "" {
		before, alive, err := leaderOf(j.After)
		if err != nil {
			return err
		}
		if alive {
			all += fmt.Sprintf("while [ ! -e %s/%s ] && %s; do sleep 0.1; done\n", quote(j.After), overFile, before.condition())
		}
	}
	all += fmt.Sprintf("{ i=0; while [ $i -lt %d ]; do echo $i; i=$((i+1)); done | xargs -P %d -n 1 sh -c %s part; } &\nwait $!\n%s\n",
		j.Parts, processes, quote(part), lastWords(id))
	if err := os.WriteFile(filepath.Join(id, partsFile), []byte(strconv.Itoa(j.Parts)+"\n"), 0o666); err != nil {
		return fmt.Errorf("farm: %w", err)
	}
	cmd := exec.Command("sh", "-c", all)
	cmd.Env = os.Environ()
	detach(cmd)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("farm: %w", err)
	}
	of, err := look(cmd.Process.Pid)
	for err == nil && of.command == "" && !of.ended { // until then it would not be known again
		of, err = look(cmd.Process.Pid)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(id, leaderFile), fmt.Appendf(nil, "%d %s\n", cmd.Process.Pid, of.began), 0o666)
	}
	if err != nil {
		err = errors.Join(fmt.Errorf("farm: %w", err), terminate(cmd.Process))
	}
	go func() { _ = cmd.Wait() }() // so that it does not stay in the table of processes; how it ends its files say
	return err
}

// leader is the process that starts the parts of a job. What the file says of it may be anyone's.
type leader struct {
	pid int
	// when it began, as the system says it: of two processes with one number it differs
	began string
}

// process is what tells a process from all others.
type process struct {
	began   string
	command string // none of one that has just begun, or has ended
	ended   bool   // and nobody has waited for it
}

// leaderForm is what the file of a leader has.
var leaderForm = regexp.MustCompile(`^([1-9][0-9]{0,8}) ([^\n]+)\n$`)

// leaderOf returns the leader of a job, and whether it is alive. One that cannot be told from other
// processes is not.
func leaderOf(id string) (l leader, alive bool, err error) {
	text, err := fileOf(id, leaderFile)
	if errors.Is(err, fs.ErrNotExist) {
		return leader{}, false, nil
	}
	if err != nil {
		return leader{}, false, err
	}
	said := leaderForm.FindStringSubmatch(string(text))
	if said == nil {
		return leader{}, false, nil
	}
	if l.pid, err = strconv.Atoi(said[1]); err != nil {
		return leader{}, false, fmt.Errorf("farm: %w", err)
	}
	l.began = said[2]
	return l, l.leads(id), nil
}

// leads tells whether the process with the number is the leader of the job, and runs.
func (l leader) leads(id string) bool {
	if l.pid <= 1 || !apart(l.pid) {
		return false
	}
	is, err := look(l.pid)
	return err == nil && is.began == l.began && strings.Contains(is.command, lastWords(id))
}

// fileOf reads a file of a job.
func fileOf(id, name string) ([]byte, error) {
	text, err := folder.Folder(filepath.Dir(id)).Read(filepath.Join(filepath.Base(id), name))
	if err != nil {
		return nil, fmt.Errorf("farm: %w", err)
	}
	return text, nil
}

// lastWords are those with which the command of a job's leader ends, and no other process's.
func lastWords(id string) string { return ": > " + quote(id) + "/" + overFile }

// State implements Farm.
func (l Local) State(ctx context.Context, id string) (State, error) {
	leader, alive, err := leaderOf(id)
	if err != nil {
		return State{}, err
	}
	if leader.pid == 0 {
		return State{Over: true}, nil
	}
	s := State{Over: !alive} // before it is read what is left of the parts
	entries, err := folder.Folder(filepath.Dir(id)).List(filepath.Base(id))
	if err != nil {
		return State{}, fmt.Errorf("farm: %w", err)
	}
	begun, host := 0, Machine()
	for _, e := range entries {
		number, kind, _ := strings.Cut(e.Name(), ".")
		part, err := strconv.Atoi(number)
		switch {
		case e.Name() == overFile:
			s.Over = true
		case err != nil:
		case kind == "begun":
			s.Running++
			begun++
		case kind == "ended":
			s.Running--
			status, err := fileOf(id, e.Name())
			if err != nil {
				return State{}, err
			}
			switch code, err := strconv.Atoi(strings.TrimSpace(string(status))); {
			case err != nil || code > 128: // and a signal
				s.Failed = append(s.Failed, Failure{part, host, "KILLED"})
			case code > 0:
				s.Failed = append(s.Failed, Failure{part, host, Failed})
			}
		}
	}
	if s.Over {
		s.Running = 0
		return s, nil
	}
	text, err := fileOf(id, partsFile)
	if err != nil {
		return State{}, err
	}
	parts, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return State{}, fmt.Errorf("farm: %s has %q; expected a number", filepath.Join(id, partsFile), text)
	}
	s.Waiting = parts - begun
	if s.Running > 0 {
		s.Machines = []string{host}
	}
	return s, nil
}

// Cancel implements Farm.
func (l Local) Cancel(ctx context.Context, ids ...string) error {
	for _, id := range ids {
		l, alive, err := leaderOf(id)
		if err != nil {
			return err
		}
		if !alive {
			continue
		}
		if err := l.end(id); err != nil {
			return fmt.Errorf("farm: ending the parts of %s: %w", id, err)
		}
	}
	return nil
}

// end tells the leader of a job to end.
func (l leader) end(id string) (err error) {
	p, err := os.FindProcess(l.pid)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Release()) }()
	// Where the system has handles of processes, as Linux does, p stays the one that it is now:
	// should the leader have ended, and its number be another process's, that one is not signalled.
	if !l.leads(id) {
		return nil
	}
	if err = terminate(p); errors.Is(err, os.ErrProcessDone) {
		err = nil
	}
	return err
}
