package farmed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/hierml/notebook/hierml/farm"
	"github.com/hierml/notebook/internal/folder"
)

// silence is how long a farm may fail to answer, while nothing new comes from its parts, before Run
// stops waiting.
var silence = 15 * time.Minute

const lockPatience = 10 * time.Second // while another process submits

// Work is what a farm does in a directory. The directory has its whole state: several processes may
// wait for the work at the same time, and one that ends harms none of the others.
type Work struct {
	Farm      farm.Farm
	Kind      json.RawMessage // the farm, as a study in JSON has it
	Directory string          // an absolute path
	Variable  string          // the environment variable that names the file of its job to a part
	Name      string          // such as "the study"
	Again     string          // how to wait again, such as "run the study again"
	Pieces

	// Note is set by Run: what to tell the user about jobs that were left running.
	Note string

	submission *Submission
	state      farm.State // what the farm answered last
}

// Pieces are the pieces of a work, as its caller knows them.
type Pieces interface {
	// Lock locks the directory. Where another process has it, busy is true and err says so.
	Lock() (unlock func() error, busy bool, err error)
	// FarmOf returns the farm that a submission was given to.
	FarmOf(s *Submission) (farm.Farm, error)
	// Settle reads what is finished, while the directory is locked, and returns the number of
	// pieces that are missing. s is nil if nothing was submitted. If its jobs have ended, Settle
	// clears what killed processes have left.
	Settle(s *Submission, running bool) (missing int, err error)
	// LeftBy tells whether a piece of an attempt is missing.
	LeftBy(a Attempt) bool
	// Command returns what a part runs.
	Command() ([]string, error)
	// Share shares the missing pieces out to jobs of at most so many parts, of which each begins
	// after the one before. Jobs of the names before have failed to finish them.
	Share(before []string, most int) ([]Assignment, error)
	// Begun tells whether a part of a job has left a trace in the directory.
	Begun(job string, part int) bool
	// Collect reads what is new of the jobs in the directory, and returns the number of pieces that
	// are missing.
	Collect(s *Submission) (missing int, err error)
	// Finished says what is finished, such as "3 of 10 cells".
	Finished() string
	// Report is called after each look, even if nothing has changed. An error ends the waiting.
	Report(state farm.State) error
}

// Assignment is the file of a job, which says what its parts are.
type Assignment struct {
	Text  []byte
	Parts int
}

// Fault is what keeps a machine from working. All of its parts would fail, so the jobs are stopped.
type Fault struct{ Text string }

func (e *Fault) Error() string { return e.Text }

// pause is how long to wait before asking again: a tenth of the time since the beginning, a tenth
// of a second at least.
func pause(since time.Time, most time.Duration) time.Duration {
	return min(most, max(time.Since(since)/10, 100*time.Millisecond))
}

// Run submits the pieces that are missing, unless jobs of the directory are running, waits for
// them, and submits again what did not come back. It ends earlier, and the jobs go on, if ctx ends,
// Report returns an error, or the farm does not answer for a quarter of an hour in which no piece
// comes. A Fault stops the jobs.
func (w *Work) Run(ctx context.Context) error {
	for {
		if missing, err := w.settle(ctx); err != nil || missing == 0 {
			return err
		}
		if err := w.follow(ctx); err != nil {
			return err
		}
	}
}

// settle reads what is finished and, if no job is running, submits what is missing. The directory
// is locked meanwhile.
func (w *Work) settle(ctx context.Context) (missing int, err error) {
	unlock, err := w.lock(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	s, err := Read(w.Directory)
	if err != nil {
		return 0, err
	}
	if s != nil && s.Stopped {
		s = nil
	}
	w.submission, w.state = s, farm.State{Over: true}
	if s != nil {
		if s.Farm, err = w.FarmOf(s); err != nil {
			return 0, err
		}
		if w.state, err = s.State(ctx, w.Directory); err != nil {
			return 0, err
		}
	}
	running := !w.state.Over
	missing, err = w.Settle(s, running)
	switch {
	case err != nil:
		return 0, w.ended(ctx, err)
	case missing > 0 && !running:
		return missing, w.submit(ctx)
	case missing > 0:
		return missing, nil
	case running && !s.Last().Own(): // such as a part that is held, whose pieces others have finished
		w.Note = s.Last().Left(w.Directory)
		return 0, nil
	case running:
		if err := s.Cancel(ctx, w.Directory); err != nil {
			return 0, err
		}
	}
	return 0, Remove(w.Directory)
}

// lock locks the directory. Another process that waits may hold the lock while it submits.
func (w *Work) lock(ctx context.Context) (unlock func() error, err error) {
	for begun := time.Now(); ; {
		unlock, busy, err := w.Lock()
		if !busy || time.Since(begun) > lockPatience {
			return unlock, err
		}
		select {
		case <-ctx.Done():
			return nil, named(context.Cause(ctx))
		case <-time.After(pause(begun, time.Second)):
		}
	}
}

// submit gives the missing pieces to the farm.
func (w *Work) submit(ctx context.Context) error {
	next := &Submission{Kind: w.Kind, Farm: w.Farm}
	if s := w.submission; s != nil && w.LeftBy(s.Last()) {
		if len(s.Attempts) >= maxAttempts {
			s.Stopped = true
			return errors.Join(w.lostError(), s.Keep(w.Directory))
		}
		next.Attempts = s.Attempts
	}
	command, err := w.Command()
	if err != nil {
		return err
	}
	if err := Make(w.Directory); err != nil {
		return err
	}
	most, err := partLimit(ctx, w.Farm)
	if err != nil {
		return err
	}
	number, err := LastNumber(w.Directory)
	if err != nil {
		return err
	}
	assignments, err := w.Share(next.Names(), most)
	if err != nil {
		return err
	}
	var jobs Attempt
	after := ""
	for i, a := range assignments {
		name := Name(number+1, i+1)
		j := Job{}
		err := named(folder.Folder(w.Directory).Replace(File(name), append(a.Text, '\n')))
		if err == nil {
			j, err = Submit(ctx, w.Farm, w.Directory, name, w.Variable, farm.Job{Parts: a.Parts, Command: command, After: after})
		}
		if err != nil {
			for _, j := range jobs {
				err = errors.Join(err, w.Farm.Cancel(ctx, j.ID))
			}
			return err
		}
		jobs, after = append(jobs, j), j.ID
	}
	next.Attempts = append(next.Attempts, jobs)
	w.submission, w.state = next, farm.State{}
	return next.Keep(w.Directory)
}

// lostError is the error of pieces that did not come back.
func (w *Work) lostError() error {
	text := fmt.Sprintf("%d attempts ended with %s finished in %s", len(w.submission.Attempts), w.Finished(), w.Directory)
	if said := w.submission.Last().LastSaid(w.Directory, w.state.Failed); said != "" {
		return fmt.Errorf("farm: %s; %s", text, said)
	}
	return fmt.Errorf("farm: %s; read what their processes printed, in %s. If they were killed because memory ran out, give parts more (with Slurm, by the option --mem of sbatch)", text, filepath.Join(w.Directory, Logs))
}

// follow waits until no piece is missing or no job is running.
func (w *Work) follow(ctx context.Context) error {
	begun := time.Now()
	heard, least := begun, -1 // when the farm answered or a piece came, and how few were missing then
	var asked time.Time
	for {
		missing, err := w.Collect(w.submission)
		if least < 0 || missing < least {
			heard, least = time.Now(), missing
		}
		if err == nil && missing > 0 && time.Since(asked) >= pause(begun, 5*time.Second) {
			var answer error
			answer, err = w.ask(ctx)
			asked = time.Now()
			switch {
			case err != nil:
			case answer == nil:
				heard = asked
			case asked.Sub(heard) >= silence:
				return w.detached(fmt.Errorf("the farm has not answered for %s: %w", silence, answer), "may still run")
			}
			if err == nil && w.state.Over {
				missing, err = w.Collect(w.submission)
			}
		}
		switch {
		case err != nil && ctx.Err() != nil:
			return w.detached(context.Cause(ctx), "")
		case err != nil:
			return w.ended(ctx, err)
		}
		if err := w.Report(w.state); err != nil {
			return w.detached(err, "")
		}
		if missing == 0 || w.state.Over {
			return nil
		}
		select {
		case <-ctx.Done():
			return w.detached(context.Cause(ctx), "")
		case <-time.After(pause(begun, 2*time.Second)):
		}
	}
}

// ended returns err. If it is a Fault, it stops the jobs.
func (w *Work) ended(ctx context.Context, err error) error {
	if fault := (*Fault)(nil); errors.As(err, &fault) && w.submission != nil {
		err = errors.Join(err, w.submission.Stop(ctx, w.Directory))
	}
	return err
}

// detached is the error for jobs that go on, or may go on.
func (w *Work) detached(why error, still string) error {
	jobs := w.submission.Last()
	if still == "" {
		still = "goes on"
		if len(jobs) > 1 {
			still = "go on"
		}
	}
	return fmt.Errorf("farm: %s %s, with %s finished: %s to wait for the rest, or stop it (experiment.Stop, hierml study stop %s): %w", jobs, still, w.Finished(), w.Again, w.Directory, why)
}

// ask asks the farm for the state of its jobs. It is no error if the farm does not answer for a
// while: the pieces come by the directory.
func (w *Work) ask(ctx context.Context) (answer, err error) {
	now, err := Read(w.Directory)
	switch {
	case err != nil:
		return nil, err
	case now != nil && now.Stopped:
		return nil, fmt.Errorf("farm: %s was stopped, with %s finished; %s to go on", w.Name, w.Finished(), w.Again)
	}
	state, answer := w.submission.State(ctx, w.Directory)
	if answer != nil {
		return answer, context.Cause(ctx)
	}
	w.state = state
	if err := w.submission.Last().Unseen(w.Directory, state.Failed, w.Begun); err != nil {
		return nil, &Fault{err.Error()}
	}
	return nil, nil
}
