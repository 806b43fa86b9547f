// Package farmed keeps, in a directory that all machines see, what was given to a farm and what has
// become of it. What the parts of a job compute is left to its callers: package experiment has the
// cells of studies computed so. [Work] is for pieces that have but a number, such as the problems of
// a training.
package farmed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hierml/notebook/hierml/farm"
	"github.com/hierml/notebook/internal/process"
	"github.com/hierml/notebook/internal/replace"
)

// What is in the directory.
const (
	file = "farm.json" // the submission
	Jobs = "jobs"      // the folder of a file NAME.json for each job, which says what its parts are
	Logs = "log"       // the folder of what parts print
)

// MostAttempts is how often something is submitted before it is given up: three times besides the
// first.
const MostAttempts = 4

// MostParts is the number of parts of a job, at most.
const MostParts = 500

// Submission says what was given to a farm. It is there until it is done.
type Submission struct {
	Kind     json.RawMessage `json:"Farm"` // the farm, as a study in JSON has it
	Attempts []Attempt       // each has what the one before left
	Stopped  bool            `json:",omitempty"` // nobody waits for it any more

	Farm farm.Farm `json:"-"`
}

// Attempt is the jobs that were submitted at the same time, each of which begins after the one
// before.
type Attempt []Job

// Job is one of a farm.
type Job struct {
	Name string // of its file
	ID   string // what the farm calls it
}

// Read returns what was given to a farm of a directory, nil if nothing was. Its field Farm is left
// to the caller.
func Read(directory string) (*Submission, error) {
	name := filepath.Join(directory, file)
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s := &Submission{}
	if err := json.Unmarshal(text, s); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(s.Attempts) == 0 || len(s.Last()) == 0 {
		return nil, fmt.Errorf("%s names no job; remove it", name)
	}
	return s, nil
}

// Remove removes what Read reads, if it is there.
func Remove(directory string) error {
	if err := os.Remove(filepath.Join(directory, file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Keep writes the submission. The directory is locked.
func (s *Submission) Keep(directory string) error {
	text, err := json.MarshalIndent(s, "", "\t")
	if err != nil {
		return err
	}
	return replace.Content(filepath.Join(directory, file), append(text, '\n'))
}

// Last returns the attempt that is on its way.
func (s *Submission) Last() Attempt { return s.Attempts[len(s.Attempts)-1] }

// Names returns the names of all jobs.
func (s *Submission) Names() []string {
	var names []string
	for _, a := range s.Attempts {
		for _, j := range a {
			names = append(names, j.Name)
		}
	}
	return names
}

// String names the jobs on their way.
func (a Attempt) String() string {
	var ids []string
	for _, j := range a {
		ids = append(ids, j.ID)
	}
	if len(ids) == 1 {
		return "job " + ids[0]
	}
	return "jobs " + strings.Join(ids, " and ")
}

// State asks how the jobs on their way stand, together.
func (s *Submission) State(ctx context.Context) (farm.State, error) {
	all := farm.State{Over: true}
	for _, j := range s.Last() {
		one, err := s.Farm.State(ctx, j.ID)
		if err != nil {
			return farm.State{}, fmt.Errorf("asking after job %s: %w", j.ID, err)
		}
		all.Waiting += one.Waiting
		all.Running += one.Running
		all.Machines = append(all.Machines, one.Machines...)
		all.Failed = append(all.Failed, one.Failed...)
		all.Over = all.Over && one.Over
	}
	slices.Sort(all.Machines)
	all.Machines = slices.Compact(all.Machines)
	return all, nil
}

// Stop ends the jobs on their way, and has nobody wait for them.
func (s *Submission) Stop(ctx context.Context, directory string) error {
	s.Stopped = true
	if err := s.Keep(directory); err != nil {
		return err
	}
	return s.Cancel(ctx)
}

// Cancel ends the jobs on their way.
func (s *Submission) Cancel(ctx context.Context) error {
	var ids []string
	for _, j := range slices.Backward(s.Last()) { // the end of one begins the next
		ids = append(ids, j.ID)
	}
	return s.Farm.Cancel(ctx, ids...)
}

// Submit has a farm run a job of a name, whose Parts, Command and After are given. The
// variable names the job's file to the parts.
func Submit(ctx context.Context, f farm.Farm, directory, name, variable string, j farm.Job) (Job, error) {
	folder, err := os.Getwd()
	if err != nil {
		return Job{}, err
	}
	j.Name, j.Directory, j.Log = "hierml-"+name, folder, filepath.Join(directory, Logs)
	j.Environment = []string{variable + "=" + Path(directory, name)}
	id, err := f.Submit(context.WithoutCancel(ctx), j) // an interrupt must not lose the id
	return Job{name, id}, err
}

// Command is what the parts of a job are: a command of this program, by its words, or, of a program of
// the user's, that with its arguments.
func Command(words ...string) ([]string, error) {
	again, known, err := process.Again()
	switch {
	case err != nil:
		return nil, err
	case known:
		return append([]string{again[0]}, words...), nil
	}
	self, err := os.Executable()
	return append([]string{self}, os.Args[1:]...), err
}

// Path is that of the file of a job.
func Path(directory, name string) string { return filepath.Join(directory, Jobs, name+".json") }

// Most returns the number of parts that a job of a farm may have.
func Most(ctx context.Context, f farm.Farm) (int, error) {
	if f, ok := f.(interface {
		MostParts(context.Context) (int, error)
	}); ok {
		most, err := f.MostParts(ctx)
		return min(most, MostParts), err
	}
	return MostParts, nil
}

// LastSaid tells what the first part that failed and said something said last, "" if none did.
func (a Attempt) LastSaid(directory string, failed []farm.Failure) string {
	for _, f := range failed {
		if said := a.said(directory, f.Part); said != "" {
			return fmt.Sprintf("part %d, on machine %s, said last: %s", f.Part, f.Machine, said)
		}
	}
	return ""
}

// said returns the last line that a part has printed.
func (a Attempt) said(directory string, part int) string {
	for _, j := range slices.Backward(a) {
		text, err := os.ReadFile(j.log(directory, part))
		if err != nil { // there is none
			continue
		}
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		if last := strings.TrimSpace(lines[len(lines)-1]); last != "" {
			return last
		}
	}
	return ""
}

// log returns the path of the file with the output of a part.
func (j Job) log(directory string, part int) string {
	return filepath.Join(directory, Logs, fmt.Sprintf("hierml-%s_%d.txt", j.Name, part))
}

// named returns the paths of what is in a folder under names that begin and end so, nothing for a folder
// that is not there.
func named(folder, begin, end string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var paths []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), begin) && strings.HasSuffix(e.Name(), end) {
			paths = append(paths, filepath.Join(folder, e.Name()))
		}
	}
	return paths, nil
}

// Unseen is an error if a part has failed without a trace in the directory, or before it could begin, for
// what it said. That a part of a job has begun, begun tells. One that said nothing was killed.
func (a Attempt) Unseen(directory string, failed []farm.Failure, begun func(job string, part int) bool) error {
	for _, f := range failed {
		if f.Reason != farm.Failed || f.Part < 0 {
			continue
		}
		is, seen := false, false
		for _, j := range a {
			_, err := os.Stat(j.log(directory, f.Part))
			seen = seen || err == nil
			is = is || begun(j.Name, f.Part)
		}
		switch said := a.said(directory, f.Part); {
		case is:
		case !seen:
			return fmt.Errorf("a part failed on machine %s and left nothing in %s: that machine does not see the directory, or cannot write there; it has to be on a file system that all machines share", f.Machine, directory)
		case said != "":
			for _, prefix := range []string{"hierml: ", "experiment: ", "svm: "} {
				said = strings.TrimPrefix(said, prefix)
			}
			return fmt.Errorf("a part failed on machine %s before it began: %s", f.Machine, said)
		}
	}
	return nil
}

// LastNumber returns the highest number of the jobs of a directory, 0 if there is none. The name of a
// job is such a number and, after a hyphen, its position in the attempt.
func LastNumber(directory string) (int, error) {
	entries, err := os.ReadDir(filepath.Join(directory, Jobs))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	last := 0
	for _, e := range entries {
		last = max(last, Number(e.Name()))
	}
	return last, nil
}

// Number returns the number in the name of a job or its file, 0 for other names.
func Number(name string) int {
	number, _, ok := strings.Cut(name, "-")
	n, err := strconv.Atoi(number)
	if !ok || err != nil {
		return 0
	}
	return n
}

// Name is that of a job.
func Name(number, position int) string { return fmt.Sprintf("%04d-%d", number, position) }
