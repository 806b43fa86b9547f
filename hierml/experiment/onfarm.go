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

const (
	mostKilled   = 3                // processes that may be killed with a cell in their hands
	lockPatience = 10 * time.Second // for others to submit
)

// watch waits for what a farm computes of a study. The directory is all that it knows: several may
// watch at the same time, and one that ends is missed by nobody.
type watch struct {
	*run    // of the cells that are to come, none of which this process computes
	jobs    farmed.Follower
	reader  *reader
	outline *outline
	note    string // what is said of jobs that were left as they are
}

// onFarm runs the study, which is checked, on its farm.
func (s *Study) onFarm(ctx context.Context) (*Results, error) {
	if s.Directory == "" {
		return nil, errors.New("experiment: a study on a farm needs a Directory, which all of its machines see")
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
	ctx, report, end := progress.Follow(ctx, "study", s.Progress)
	defer end()
	w := &watch{reader: newReader(directory), jobs: farmed.Follower{Directory: directory, Work: "the study", Again: "run the study again"}}
	started := time.Now()
	for {
		err := w.settle(ctx, p)
		if w.run == nil {
			return nil, err
		}
		if err == nil && len(w.waiting) > 0 {
			w.progress, w.started = report, started
			err = w.follow(ctx)
			if err == nil {
				continue // what is missing is to be settled
			}
		}
		results := newResults(w.outline, w.kept.cells)
		if w.note != "" {
			results.Notes = append(results.Notes, w.note)
		}
		return results, err
	}
}

// leaveToFarm is an error if a farm computes cells of a directory, which is locked.
func leaveToFarm(ctx context.Context, directory string) error {
	if directory == "" {
		return nil
	}
	s, err := readSubmission(directory, nil)
	if err != nil || s == nil || s.Stopped {
		return err
	}
	state, err := s.State(ctx, directory)
	if err != nil {
		return named(err)
	}
	if !state.Over {
		return fmt.Errorf("experiment: a farm computes cells of %s, by %s: run the study on its farm to wait for them, or stop it (experiment.Stop, hierml study stop)", directory, s.Last())
	}
	return removeSubmission(directory)
}

func removeSubmission(directory string) error { return named(farmed.Remove(directory)) }

// named is an error of what was given to a farm with the name of this package.
func named(err error) error {
	if err != nil {
		err = fmt.Errorf("experiment: %w", err)
	}
	return err
}

// settle looks what of the study is finished, and if nothing is under way has what is missing
// computed. The directory is locked meanwhile.
func (w *watch) settle(ctx context.Context, p *plan) (err error) {
	directory := p.study.Directory
	kept, err := openStore(directory)
	busy := (*BusyError)(nil)
	for begun := time.Now(); errors.As(err, &busy) && time.Since(begun) < lockPatience; kept, err = openStore(directory) {
		select { // another one that watches may be about to submit
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(farmed.Pause(begun, time.Second)):
		}
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, kept.close()) }()
	if w.jobs.Submission, err = readSubmission(directory, p.study.Farm); err != nil {
		return err
	}
	s := w.jobs.Submission
	if s != nil && s.Stopped {
		s = nil
	}
	alive := false
	fresh := make(map[string]bool)
	if s != nil {
		if w.jobs.State, err = s.State(ctx, directory); err != nil {
			return named(err)
		}
		alive = !w.jobs.State.Over
		if err := w.read(s.Names(), func(_ string, c *Cell) { fresh[c.Key] = true }); err != nil {
			return named(w.jobs.Ended(ctx, err)) // nobody was there to see a fault
		}
		if alive {
			if err := p.expects(s.Last()); err != nil {
				return err
			}
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
	if alive && len(w.waiting) > 0 {
		return nil // attached
	}
	if err := p.write(w.outline); err != nil {
		return err
	}
	if s != nil && !alive {
		if err := w.bury(s); err != nil {
			return err
		}
	}
	if len(w.waiting) == 0 {
		if alive { // such as a part that is held, whose cells others have
			if !s.Last().Own() {
				w.note = s.Last().Left(directory)
				return nil
			}
			if err := s.Cancel(ctx, directory); err != nil {
				return err
			}
		}
		return removeSubmission(directory)
	}
	return w.submit(ctx, s)
}

// read reads what is new in the files of jobs.
func (w *watch) read(jobs []string, cell func(job string, c *Cell)) error {
	var faults []string
	if err := w.reader.read(jobs, cell, func(text string) { faults = append(faults, text) }); err != nil {
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
			return fmt.Errorf("experiment: %s has farm.json, which names %s, and not its cells: remove that file (%w)", p.study.Directory, jobs, err)
		}
		if err != nil {
			return fmt.Errorf("experiment: %w", err)
		}
		for _, part := range a.Parts {
			for _, key := range part {
				if p.byKey[key] == nil {
					return fmt.Errorf("experiment: a farm computes an earlier form of the study in %s, or of its data, by %s; wait for its end, or stop it (experiment.Stop, hierml study stop)", p.study.Directory, jobs)
				}
			}
		}
	}
	return nil
}

// bury records the cells that have killed their processes as failed. Nothing is under way.
func (w *watch) bury(s *farmed.Submission) error {
	waiting := w.waiting[:0:0]
	for _, j := range w.waiting {
		killed := w.reader.killed(s.Names(), j.key)
		if len(killed) < mostKilled {
			waiting = append(waiting, j)
			continue
		}
		c := w.describe(j)
		last := killed[len(killed)-1]
		c.Error = fmt.Sprintf("the process that computed it was killed %d times, at last on machine %s", len(killed), last.Machine)
		if last.Memory != "" {
			c.Error += fmt.Sprintf(", where it had %s of memory: if that was too little, give parts more, with Slurm by the option --mem of sbatch", last.Memory)
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

// submit has a farm compute what is missing: first what others wait for, and that which waits for
// nothing; then the rest. s is what was submitted before, nil if that is of no concern.
func (w *watch) submit(ctx context.Context, s *farmed.Submission) error {
	study := w.study
	command, err := study.command()
	if err != nil {
		return err
	}
	next := &farmed.Submission{Farm: study.Farm}
	if next.Kind, err = json.Marshal(farmAsJSON(study.Farm)); err != nil {
		return fmt.Errorf("experiment: %w", err)
	}
	if s != nil && w.left(s) {
		if len(s.Attempts) >= farmed.MostAttempts {
			s.Stopped = true
			return errors.Join(w.lost(s), named(s.Keep(study.Directory)))
		}
		next.Attempts = s.Attempts
	}
	if err := farmed.Make(study.Directory); err != nil {
		return fmt.Errorf("experiment: %w", err)
	}
	most, err := farmed.Most(ctx, study.Farm)
	if err != nil {
		return err
	}
	number, err := farmed.LastNumber(study.Directory)
	if err != nil {
		return fmt.Errorf("experiment: %w", err)
	}
	suspect := func(j *job) bool { return len(w.reader.killed(next.Names(), j.key)) > 0 }
	var waves [2][]*job
	for _, j := range w.waiting {
		if j.chooses() {
			waves[1] = append(waves[1], j)
		} else {
			waves[0] = append(waves[0], j)
		}
	}
	var jobs farmed.Attempt
	for i, cells := range waves {
		if len(cells) == 0 {
			continue
		}
		name := farmed.Name(number+1, i+1)
		parts := w.timing.share(cells, most, suspect)
		if err := w.assign(name, parts); err != nil {
			return err
		}
		after := ""
		if len(jobs) > 0 {
			after = jobs[len(jobs)-1].ID
		}
		j, err := farmed.Submit(ctx, study.Farm, study.Directory, name, JobVariable, farm.Job{Parts: len(parts), Command: command, After: after})
		if err != nil {
			for _, j := range jobs {
				err = errors.Join(err, study.Farm.Cancel(ctx, j.ID))
			}
			return err
		}
		jobs = append(jobs, j)
	}
	next.Attempts = append(next.Attempts, jobs)
	w.jobs.Submission, w.jobs.State = next, farm.State{}
	return named(next.Keep(study.Directory))
}

// left tells whether something that was submitted last is missing.
func (w *watch) left(s *farmed.Submission) bool {
	waiting := make(map[string]bool)
	for _, j := range w.waiting {
		waiting[j.key] = true
	}
	for _, j := range s.Last() {
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

// command is what a farm is to run: the command of this program that computes a part of the study in
// its directory, or, where the study is more than JSON can have, this program with its arguments, or
// script.
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
	return nil, fmt.Errorf("%w; a farm runs a study with functions, types or data of yours as a script: hierml notebook export FILE.ipynb, and hierml run FILE.go where the farm is", portable)
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

// lost is the error of cells that did not come back.
func (w *watch) lost(s *farmed.Submission) error {
	text := fmt.Sprintf("experiment: %s of %s did not come back from %d attempts", plural(len(w.waiting), "cell"), w.study.Directory, len(s.Attempts))
	if said := s.Last().LastSaid(w.study.Directory, w.jobs.State.Failed); said != "" {
		return fmt.Errorf("%s; %s", text, said)
	}
	return fmt.Errorf("%s; what its processes printed is in %s", text, filepath.Join(w.study.Directory, farmed.Logs))
}

// follow waits until all cells are finished, or nothing is under way any more. The end of ctx ends
// the waiting alone.
func (w *watch) follow(ctx context.Context) error {
	names := w.jobs.Submission.Names()
	byKey := make(map[string]*job)
	for _, j := range w.waiting {
		byKey[j.key] = j
	}
	take := func(_ string, c *Cell) {
		if j := byKey[c.Key]; j != nil {
			delete(byKey, c.Key)
			w.waiting = slices.DeleteFunc(w.waiting, func(other *job) bool { return other == j })
			w.kept.cells[c.Key] = c
			w.timing.end(j)
			w.count(j, c)
		}
	}
	w.jobs.Collect = func() (int, error) {
		err := w.read(names, take)
		return len(byKey), err
	}
	w.jobs.Begun = func(job string, part int) bool {
		has, err := w.reader.Has(partFolder(job, part))
		return err == nil && has
	}
	w.jobs.Finished = func() string { return fmt.Sprintf("%d of %s", w.done, plural(len(w.cells), "cell")) }
	w.jobs.Report = w.tell
	return named(w.jobs.Follow(ctx))
}

// tell tells the progress function.
func (w *watch) tell() error {
	if w.progress == nil {
		return nil
	}
	state := fmt.Sprintf("%d of %s", w.done, plural(len(w.cells), "cell"))
	if w.failed > 0 {
		state += fmt.Sprintf(", %d failed", w.failed)
	}
	if w.jobs.State.Running > 0 {
		state += fmt.Sprintf(", %s on %s", plural(w.jobs.State.Running, "part"), plural(len(w.jobs.State.Machines), "machine"))
	}
	if w.jobs.State.Waiting > 0 {
		state += fmt.Sprintf(", %d waiting", w.jobs.State.Waiting)
	}
	if elapsed := time.Since(w.started); elapsed >= time.Second {
		state += ", " + elapsed.Round(time.Second).String()
	}
	if left, known := w.timing.remaining(nil, max(1, w.jobs.State.Running)); known && left >= 1 {
		state += fmt.Sprintf(", about %s left", time.Duration(math.Round(left))*time.Second)
	}
	return w.progress(float64(w.done)/float64(max(len(w.cells), 1)), state)
}
