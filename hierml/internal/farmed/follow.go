package farmed

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hierml/notebook/hierml/farm"
)

// silence is how long a farm may fail to answer, while nothing new comes from its parts, before Follow
// stops waiting.
var silence = 15 * time.Minute

// Fault is what keeps a machine from working. All of its parts would fail, so the jobs are stopped.
type Fault struct{ Text string }

func (e *Fault) Error() string { return e.Text }

// Follower waits for the jobs of a submission. Callers say what their pieces are.
type Follower struct {
	Directory  string
	Submission *Submission
	State      farm.State // what the farm answered last
	// Collect reads what is new in the directory and returns the number of pieces that are missing.
	Collect func() (missing int, err error)
	// Begun tells whether a part of a job has left a trace in the directory.
	Begun func(job string, part int) bool
	// Report is told how the work stands, also when nothing has changed. An error ends the waiting.
	Report func() error
	// Finished says what is finished, such as "3 of 10 cells".
	Finished func() string
	Work     string // such as "the study"
	Again    string // how to wait again, such as "run the study again"
}

// Pause is how long to wait before something is asked again: a tenth of what has been waited for, a
// tenth of a second at least.
func Pause(since time.Time, most time.Duration) time.Duration {
	return min(most, max(time.Since(since)/10, 100*time.Millisecond))
}

// Follow waits until no piece is missing or no job is under way. It ends earlier, and the jobs go on,
// where ctx ends, Report returns an error, or the farm does not answer for a quarter of an hour in which
// nothing new comes. A Fault stops the jobs.
func (f *Follower) Follow(ctx context.Context) error {
	begun := time.Now()
	heard, least := begun, -1 // when the farm answered or a piece came, and how few were missing then
	var asked time.Time
	for {
		missing, err := f.Collect()
		if least < 0 || missing < least {
			heard, least = time.Now(), missing
		}
		if err == nil && missing > 0 && time.Since(asked) >= Pause(begun, 5*time.Second) {
			var answer error
			answer, err = f.ask(ctx)
			asked = time.Now()
			switch {
			case err != nil:
			case answer == nil:
				heard = asked
			case asked.Sub(heard) >= silence:
				return f.detached(fmt.Errorf("the farm has not answered for %s: %w", silence, answer), "may still run")
			}
			if err == nil && f.State.Over {
				missing, err = f.Collect()
			}
		}
		switch {
		case err != nil && ctx.Err() != nil:
			return f.detached(context.Cause(ctx), "")
		case err != nil:
			return f.Ended(ctx, err)
		}
		if err := f.Report(); err != nil {
			return f.detached(err, "")
		}
		if missing == 0 || f.State.Over {
			return nil
		}
		select {
		case <-ctx.Done():
			return f.detached(context.Cause(ctx), "")
		case <-time.After(Pause(begun, 2*time.Second)):
		}
	}
}

// Ended is the error err, after which a Fault has stopped the jobs.
func (f *Follower) Ended(ctx context.Context, err error) error {
	if fault := (*Fault)(nil); errors.As(err, &fault) && f.Submission != nil {
		err = errors.Join(err, f.Submission.Stop(ctx, f.Directory))
	}
	return err
}

// detached is the error for jobs that go on, or may go on.
func (f *Follower) detached(why error, still string) error {
	jobs := f.Submission.Last()
	if still == "" {
		still = "goes on"
		if len(jobs) > 1 {
			still = "go on"
		}
	}
	return fmt.Errorf("%s %s, with %s finished: %s to wait for the rest, or stop it (experiment.Stop, hierml study stop %s): %w", jobs, still, f.Finished(), f.Again, f.Directory, why)
}

// ask asks the farm how its jobs stand. That it does not answer for a while is no error: the pieces come
// by the directory.
func (f *Follower) ask(ctx context.Context) (answer, err error) {
	now, err := Read(f.Directory)
	switch {
	case err != nil:
		return nil, err
	case now != nil && now.Stopped:
		return nil, fmt.Errorf("%s was stopped, with %s finished; %s to go on", f.Work, f.Finished(), f.Again)
	}
	state, answer := f.Submission.State(ctx, f.Directory)
	if answer != nil {
		return answer, context.Cause(ctx)
	}
	f.State = state
	if err := f.Submission.Last().Unseen(f.Directory, state.Failed, f.Begun); err != nil {
		return nil, &Fault{err.Error()}
	}
	return nil, nil
}
