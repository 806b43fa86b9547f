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
	"strconv"
	"strings"

	"github.com/hierml/notebook/internal/machine"
)

// Local runs the parts of a job as processes of this machine. They go on when the process that has
// submitted them ends. A machine that is started anew has forgotten them.
type Local struct {
	// Processes is the number of parts that run at the same time, each with its share of the
	// processors. The default value is the number of processors.
	Processes int
}

// The files of a job of Local, in the folder that is its id.
const (
	leaderFile = "leader" // the id of the process that starts the parts
	partsFile  = "parts"  // their number
	overFile   = "over"   // is there when all have ended
)

// Submit implements Farm.
func (l Local) Submit(ctx context.Context, j Job) (id string, err error) {
	if err := j.check(); err != nil {
		return "", err
	}
	if l.Processes < 0 {
		return "", fmt.Errorf("farm: Local.Processes is %d; it is not negative", l.Processes)
	}
	if _, err := exec.LookPath("sh"); err != nil {
		return "", fmt.Errorf("farm: processes of this machine are started by sh, which is not here: %w", err)
	}
	if id, err = os.MkdirTemp(j.Log, "local-"); err != nil {
		return "", fmt.Errorf("farm: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(id))
		}
	}()
	processes := cmp.Or(l.Processes, machine.Processors())
	share := max(1, machine.Processors()/processes)
	one := "exec > " + quote(filepath.Join(j.Log, j.Name)) + "_$1.txt 2>&1\n" + j.script("$1", strconv.Itoa(share), "$(uname -n)", "''")
	// What a part leaves: N.begun and, with its status, N.ended.
	part := fmt.Sprintf("cd %s || exit 1; : > %s/$1.begun; (\n%s); echo $? > %s/$1.ended\n", quote(j.Directory), quote(id), one, quote(id))
	all := ""
	if j.After != "" {
		after := quote(j.After)
		// As lives: the number of the leader may be another process's by now.
		all += fmt.Sprintf("p=$(cat %s/%s); while [ -d %s ] && [ ! -e %s/%s ] && kill -0 $p && { [ ! -r /proc/$p/cmdline ] || grep -qF %s /proc/$p/cmdline; }; do sleep 0.1; done\n",
			after, leaderFile, after, after, overFile, quote(lastWords(j.After)))
	}
	all += fmt.Sprintf("i=0; while [ $i -lt %d ]; do echo $i; i=$((i+1)); done | xargs -P %d -n 1 sh -c %s part\n%s\n",
		j.Parts, processes, quote(part), lastWords(id))
	if err := os.WriteFile(filepath.Join(id, partsFile), []byte(strconv.Itoa(j.Parts)+"\n"), 0o666); err != nil {
		return "", fmt.Errorf("farm: %w", err)
	}
	cmd := exec.Command("sh", "-c", all)
	cmd.Env = os.Environ()
	detach(cmd)
	if err := cmd.Start(); err != nil {
		return "", fmt.Errorf("farm: %w", err)
	}
	go func() { _ = cmd.Wait() }() // so that it does not stay in the table of processes; how it ends its files say
	if err := os.WriteFile(filepath.Join(id, leaderFile), []byte(strconv.Itoa(cmd.Process.Pid)+"\n"), 0o666); err != nil {
		return "", errors.Join(fmt.Errorf("farm: %w", err), end(cmd.Process.Pid))
	}
	return id, nil
}

// lastWords are those with which the command of a job's leader ends, and no other process's.
func lastWords(id string) string { return ": > " + quote(id) + "/" + overFile }

// State implements Farm.
func (l Local) State(ctx context.Context, id string) (State, error) {
	leader, err := numberIn(filepath.Join(id, leaderFile))
	if errors.Is(err, fs.ErrNotExist) {
		return State{Over: true}, nil
	}
	if err != nil {
		return State{}, err
	}
	s := State{Over: !lives(leader, id)} // before it is read what is left of the parts
	entries, err := os.ReadDir(id)
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
			status, err := os.ReadFile(filepath.Join(id, e.Name()))
			if err != nil {
				return State{}, fmt.Errorf("farm: %w", err)
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
	parts, err := numberIn(filepath.Join(id, partsFile))
	if err != nil {
		return State{}, err
	}
	s.Waiting = parts - begun
	if s.Running > 0 {
		s.Machines = []string{host}
	}
	return s, nil
}

// numberIn returns the number that a file of a job has.
func numberIn(file string) (int, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, fmt.Errorf("farm: %w", err)
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || n < 1 {
		return 0, fmt.Errorf("farm: %s has %q; expected a number", file, text)
	}
	return n, nil
}

// Cancel implements Farm.
func (l Local) Cancel(ctx context.Context, ids ...string) error {
	for _, id := range ids {
		s, err := l.State(ctx, id)
		if err != nil {
			return err
		}
		if s.Over {
			continue
		}
		leader, err := numberIn(filepath.Join(id, leaderFile))
		if err != nil {
			return err
		}
		if err := end(leader); err != nil {
			return fmt.Errorf("farm: ending the parts of %s: %w", id, err)
		}
	}
	return nil
}
