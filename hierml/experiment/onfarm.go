package experiment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/hierml/notebook/hierml/farm"
	"github.com/hierml/notebook/hierml/internal/farmed"
	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/internal/process"
)

// maxKilled is how many processes may be killed while they compute the same cell.
const maxKilled = 3

// watch is the cells of a study that a farm computes, the farmed.Pieces of a farmed.Work.
type watch struct {
	*run     // of the pending cells, which this process does not compute
	plan     *plan
	opened   *store
	reader   *reader
	outline  *outline
	observer func(done float64, state string) error
	began    time.Time
}

// onFarm runs the study, which is checked, on its farm.
func (s *Study) onFarm(ctx context.Context) (*Results, error) {
	if s.Directory == "" {
		return nil, errors.New("experiment: a study on a farm needs a Directory that all its machines can access")
	}
	directory, err := filepath.Abs(s.Directory)
	if err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	s.Directory = directory
	p, err := s.plan(ctx)
	if err != nil {
		return nil, err
	}
	kind, err := json.Marshal(farmAsJSON(s.Farm))
	if err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	ctx, report, end := progress.Follow(ctx, "study", s.Progress)
	defer end()
	w := &watch{plan: p, reader: newReader(directory), observer: report, began: time.Now()}
	work := &farmed.Work{Farm: s.Farm, Kind: kind, Directory: directory, Variable: JobVariable, Name: "the study", Again: "run the study again", Pieces: w}
	err = work.Run(ctx)
	if w.run == nil {
		return nil, err
	}
	results := newResults(w.outline, w.kept.cells)
	results.ran = s
	var failed error
	if results.study, failed = s.MarshalJSON(); failed != nil {
		return results, errors.Join(err, failed)
	}
	if work.Note != "" {
		results.Notes = append(results.Notes, work.Note)
	}
	return results, err
}

// requireNoFarm returns an error if a farm computes cells of a directory, which is locked.
func requireNoFarm(ctx context.Context, directory string) error {
	if directory == "" {
		return nil
	}
	s, err := readSubmission(directory)
	if err != nil || s == nil || s.Stopped {
		return err
	}
	state, err := s.State(ctx, directory)
	if err != nil {
		return err
	}
	if !state.Over {
		return fmt.Errorf("experiment: a farm is computing cells of %s (%s): run the study on its farm to wait for them, or stop it (experiment.Stop, hierml study stop)", directory, s.Last())
	}
	return farmed.Remove(directory)
}

func (w *watch) Lock() (unlock func() error, busy bool, err error) {
	w.opened, err = openStore(w.plan.study.Directory)
	if err != nil {
		return nil, errors.As(err, new(*BusyError)), err
	}
	return w.opened.close, false, nil
}

func (w *watch) FarmOf(s *farmed.Submission) (farm.Farm, error) {
	return farmOf(s, w.plan.study.Directory, w.plan.study.Farm)
}

// Settle begins a run of the cells that are not finished. If no job is running, it records as
// failed those that have killed their processes.
func (w *watch) Settle(s *farmed.Submission, running bool) (missing int, err error) {
	p, kept := w.plan, w.opened
	fresh := make(map[string]bool)
	if s != nil {
		if err := w.read(s, func(_ string, c *Cell) { fresh[c.Key] = true }); err != nil {
			return 0, err // no process was there to see a fault
		}
	}
	if running {
		if err := p.expects(s.Last()); err != nil {
			return 0, err
		}
	}
	retry := p.study.Retry
	for key, c := range kept.cells {
		if retry && c.Error != "" && !fresh[key] {
			delete(kept.cells, key)
		}
	}
	p.study.Retry = false // of what was done since
	if w.outline == nil {
		before := maps.Clone(kept.cells)
		for key := range fresh {
			delete(before, key)
		}
		w.outline = p.outline(before)
	}
	w.run = newRun(p, kept)
	if running && len(w.waiting) > 0 {
		return len(w.waiting), nil
	}
	if err := p.write(w.outline); err != nil {
		return 0, err
	}
	if s != nil && !running {
		err = w.recordKilled(s)
	}
	return len(w.waiting), err
}

// read reads what is new in the files of the jobs of a submission.
func (w *watch) read(s *farmed.Submission, cell func(job string, c *Cell)) error {
	var faults []string
	if err := w.reader.read(s.Names(), cell, func(text string) { faults = append(faults, text) }); err != nil {
		return err
	}
	if len(faults) > 0 {
		return &farmed.Fault{Text: faults[0]}
	}
	return nil
}

// expects is an error if jobs have cells that the study has not.
func (p *plan) expects(jobs farmed.Attempt) error {
	for _, j := range jobs {
		a, err := readAssignment(p.study.Directory, j.Name)
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("experiment: %s has a farm.json that names %s, but not the list of its cells: remove farm.json (%w)", p.study.Directory, jobs, err)
		}
		if err != nil {
			return fmt.Errorf("experiment: %w", err)
		}
		for _, part := range a.Parts {
			for _, key := range part {
				if p.byKey[key] == nil {
					return fmt.Errorf("experiment: a farm is computing an earlier version of the study in %s, or of its data (%s); wait for its end, or stop it (experiment.Stop, hierml study stop)", p.study.Directory, jobs)
				}
			}
		}
	}
	return nil
}

// recordKilled records the cells that have killed their processes as failed. No job is running.
func (w *watch) recordKilled(s *farmed.Submission) error {
	waiting := w.waiting[:0:0]
	for _, j := range w.waiting {
		killed := w.reader.killed(s.Names(), j.key)
		if len(killed) < maxKilled {
			waiting = append(waiting, j)
			continue
		}
		c := w.describe(j)
		last := killed[len(killed)-1]
		c.Error = fmt.Sprintf("the process that computed it was killed %d times, the last time on machine %s", len(killed), last.Machine)
		if last.Memory != "" {
			c.Error += fmt.Sprintf(", where it had %s of memory: if that was too little, give parts more (with Slurm, by the option --mem of sbatch)", last.Memory)
		}
		if err := w.kept.add(c); err != nil {
			return err
		}
		w.count(j, c)
		w.timing.end(j)
	}
	w.waiting = waiting
	return nil
}

// Share shares the missing cells out to two jobs: first those that others wait for, and those that
// wait for nothing; then the rest.
func (w *watch) Share(before []string, most int) ([]farmed.Assignment, error) {
	suspect := func(j *job) bool { return len(w.reader.killed(before, j.key)) > 0 }
	var waves [2][]*job
	for _, j := range w.waiting {
		if j.chooses() {
			waves[1] = append(waves[1], j)
		} else {
			waves[0] = append(waves[0], j)
		}
	}
	var jobs []farmed.Assignment
	for _, cells := range waves {
		if len(cells) == 0 {
			continue
		}
		parts := w.timing.share(cells, most, suspect)
		text, err := w.assignment(parts)
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, farmed.Assignment{Text: text, Parts: len(parts)})
	}
	return jobs, nil
}

func (w *watch) LeftBy(a farmed.Attempt) bool {
	waiting := make(map[string]bool)
	for _, j := range w.waiting {
		waiting[j.key] = true
	}
	for _, j := range a {
		a, err := readAssignment(w.study.Directory, j.Name)
		if err != nil { // it is gone, with what it had
			continue
		}
		for _, part := range a.Parts {
			if slices.ContainsFunc(part, func(key string) bool { return waiting[key] }) {
				return true
			}
		}
	}
	return false
}

func (w *watch) Command() ([]string, error) { return w.study.command() }

// command returns the command of this program that computes a part of the study in its directory,
// or, if the study is more than JSON can have, this program with its arguments, or script.
func (s *Study) command() ([]string, error) {
	again, known, err := process.Again()
	if err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	if !known { // a program of the user's
		self, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("experiment: %w", err)
		}
		return append([]string{self}, os.Args[1:]...), nil
	}
	portable := s.portable()
	switch {
	case portable == nil:
		return []string{again[0], "study", "part"}, nil
	case len(again) > 1:
		return again, nil
	}
	return nil, fmt.Errorf("%w; to run a study with functions, types or data of your own on a farm, make it a script: hierml notebook export FILE.ipynb, then hierml run FILE.go where the farm is", portable)
}

// portable is an error if the study, read from what is written of it in JSON, would be another.
func (s *Study) portable() error {
	text, err := s.MarshalJSON()
	if err != nil {
		return err
	}
	read := &Study{}
	if err := read.UnmarshalJSON(text); err != nil {
		return err
	}
	if _, err = read.checked(); err != nil {
		return err
	}
	for i := range s.Methods {
		if s.Methods[i].identity() != read.Methods[i].identity() {
			return fmt.Errorf("experiment: method %q cannot be written in JSON", s.Methods[i].Name)
		}
	}
	return nil
}

// Collect counts the cells that are new in the files of the jobs.
func (w *watch) Collect(s *farmed.Submission) (missing int, err error) {
	err = w.read(s, func(_ string, c *Cell) {
		j := w.byKey[c.Key]
		at := slices.Index(w.waiting, j)
		if at < 0 {
			return
		}
		w.waiting = slices.Delete(w.waiting, at, at+1)
		w.kept.cells[c.Key] = c
		w.timing.end(j)
		w.count(j, c)
	})
	return len(w.waiting), err
}

func (w *watch) Begun(job string, part int) bool {
	has, err := w.reader.Has(partFolder(job, part))
	return err == nil && has
}

func (w *watch) Finished() string {
	return fmt.Sprintf("%d of %s", w.done, plural(len(w.cells), "cell"))
}

func (w *watch) Report(farmState farm.State) error {
	if w.observer == nil {
		return nil
	}
	state := w.Finished()
	if w.failed > 0 {
		state += fmt.Sprintf(", %d failed", w.failed)
	}
	if farmState.Running > 0 {
		state += fmt.Sprintf(", %s on %s", plural(farmState.Running, "part"), plural(len(farmState.Machines), "machine"))
	}
	if farmState.Waiting > 0 {
		state += fmt.Sprintf(", %d waiting", farmState.Waiting)
	}
	if elapsed := time.Since(w.began); elapsed >= time.Second {
		state += ", " + elapsed.Round(time.Second).String()
	}
	if left, known := w.timing.remaining(nil, max(1, farmState.Running)); known && left >= 1 {
		state += fmt.Sprintf(", about %s left", time.Duration(math.Round(left))*time.Second)
	}
	return w.observer(float64(w.done)/float64(max(len(w.cells), 1)), state)
}
