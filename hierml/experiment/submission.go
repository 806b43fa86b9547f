package experiment

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/hierml/notebook/hierml/farm"
)

// The files of a study that a farm computes, in its directory.
const (
	submissionFile = "farm.json"
	jobsFolder     = "jobs"
	logFolder      = "log"
)

// submission says what was given to a farm. It is there until its cells are.
type submission struct {
	Farm     json.RawMessage // as a study in JSON has it
	Attempts []attempt       // each has what the one before left
	Stopped  bool            `json:",omitempty"` // nobody waits for it any more

	farm farm.Farm
}

// attempt is the jobs that were submitted at the same time, each of which begins after the one
// before.
type attempt []submitted

// submitted is a job of a farm.
type submitted struct {
	Name string // of its assignment
	ID   string // what the farm calls it
}

// last returns the attempt that is on its way.
func (s *submission) last() attempt { return s.Attempts[len(s.Attempts)-1] }

// names returns the names of all jobs.
func (s *submission) names() []string {
	var names []string
	for _, a := range s.Attempts {
		for _, j := range a {
			names = append(names, j.Name)
		}
	}
	return names
}

// String names the jobs on their way.
func (a attempt) String() string {
	var ids []string
	for _, j := range a {
		ids = append(ids, j.ID)
	}
	if len(ids) == 1 {
		return "job " + ids[0]
	}
	return "jobs " + strings.Join(ids, " and ")
}

// readSubmission returns what was given to a farm of a directory, nil if nothing was. The farm is
// known, if it is none of this library.
func readSubmission(directory string, known farm.Farm) (*submission, error) {
	name := filepath.Join(directory, submissionFile)
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	s := &submission{}
	if err := json.Unmarshal(text, s); err != nil {
		return nil, fmt.Errorf("experiment: %s: %w", name, err)
	}
	if len(s.Attempts) == 0 || len(s.last()) == 0 {
		return nil, fmt.Errorf("experiment: %s names no job; remove it", name)
	}
	if s.Stopped {
		return s, nil // its farm, which may be any, is not asked
	}
	d := json.NewDecoder(bytes.NewReader(s.Farm))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return nil, fmt.Errorf("experiment: %s: %w", name, err)
	}
	said, err := readNamed(value)
	if err != nil {
		return nil, fmt.Errorf("experiment: %s: Farm: %w", name, err)
	}
	if known != nil {
		if own, err := readNamed(farmAsJSON(known)); err == nil && own.Type == said.Type && implementing(reflect.TypeFor[farm.Farm]())[said.Type] == nil {
			s.farm = known
			return s, nil
		}
	}
	return s, (setter{}).value(reflect.ValueOf(&s.farm).Elem(), value, name+": Farm")
}

// farmAsJSON is a farm as a study in JSON has it.
func farmAsJSON(f farm.Farm) any {
	return (&describer{seen: make(map[uintptr]bool)}).dynamic(reflect.ValueOf(f))
}

// keep writes the submission. The directory is locked.
func (s *submission) keep(directory string) error {
	text, err := json.MarshalIndent(s, "", "\t")
	if err != nil {
		return fmt.Errorf("experiment: %w", err)
	}
	return keep(directory, submissionFile, append(text, '\n'))
}

// state asks how the jobs on their way stand, together.
func (s *submission) state(ctx context.Context) (farm.State, error) {
	all := farm.State{Over: true}
	for _, j := range s.last() {
		one, err := s.farm.State(ctx, j.ID)
		if err != nil {
			return farm.State{}, fmt.Errorf("experiment: asking after job %s: %w", j.ID, err)
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

// stop ends the jobs on their way, and has nobody wait for them.
func (s *submission) stop(ctx context.Context, directory string) error {
	s.Stopped = true
	if err := s.keep(directory); err != nil {
		return err
	}
	return s.cancel(ctx)
}

// cancel ends the jobs on their way.
func (s *submission) cancel(ctx context.Context) error {
	var ids []string
	for _, j := range slices.Backward(s.last()) { // the end of one begins the next
		ids = append(ids, j.ID)
	}
	return s.farm.Cancel(ctx, ids...)
}

// Stop ends what a farm computes of the study in a directory. What is finished stays, and Run goes
// on from there. It is an error if nothing is under way.
func Stop(ctx context.Context, directory string) error {
	s, err := readSubmission(directory, nil)
	if err != nil {
		return err
	}
	if s == nil || s.Stopped {
		return fmt.Errorf("experiment: no farm computes cells of %s", directory)
	}
	return s.stop(ctx, directory)
}

// assignment is a job of a farm: the cells of each part, fixed when it was submitted, and what they
// are cells of, so that a part opens only what its cells need.
type assignment struct {
	Format int
	Data   []string   // what each data set of the study is known by
	Parts  [][]string // keys of cells
}

// assign writes an assignment under a name of its own.
func (p *plan) assign(name string, parts [][]*job) error {
	a := assignment{Format: format}
	for _, d := range p.data {
		a.Data = append(a.Data, d.identity)
	}
	for _, part := range parts {
		keys := make([]string, len(part))
		for i, j := range part {
			keys[i] = j.key
		}
		a.Parts = append(a.Parts, keys)
	}
	text, err := json.Marshal(a)
	if err != nil {
		return fmt.Errorf("experiment: %w", err)
	}
	return keep(filepath.Join(p.study.Directory, jobsFolder), name+".json", append(text, '\n'))
}

// readAssignment reads the one in a file.
func readAssignment(file string) (*assignment, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	a := &assignment{}
	if err := json.Unmarshal(text, a); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return a, nil
}

// lastNumber returns the highest number of the jobs of a directory, 0 if there is none. The name of
// an assignment is such a number and, after a hyphen, its position in the attempt.
func lastNumber(directory string) (int, error) {
	entries, err := os.ReadDir(filepath.Join(directory, jobsFolder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("experiment: %w", err)
	}
	last := 0
	for _, e := range entries {
		last = max(last, numberOf(e.Name()))
	}
	return last, nil
}

// numberOf returns the number in the name of an assignment or its file, 0 for other names.
func numberOf(name string) int {
	number, _, ok := strings.Cut(name, "-")
	n, err := strconv.Atoi(number)
	if !ok || err != nil {
		return 0
	}
	return n
}
