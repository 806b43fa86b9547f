package farmed

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hierml/notebook/hierml/farm"
	"github.com/hierml/notebook/internal/lock"
	"github.com/hierml/notebook/internal/replace"
)

// blindParts is the number of parts that pieces are shared out to: nothing is known of how long they
// take, and an engine needs about a second to start a part.
const blindParts = 32

const (
	processes = "parts" // the folder of a folder for each process, with the files that it has finished
	faultFile = "fault" // in the folder of a process: what keeps its machine from working
	suffix    = ".safetensors"

	lockPatience = 10 * time.Second // for others to submit
)

// Work is pieces that do not depend on each other, and have but a number, for a farm to do. The
// directory is all that is known of them: several may wait for it at the same time, and one that ends
// is missed by nobody.
type Work struct {
	Farm      farm.Farm
	Directory string   // an absolute path
	Variable  string   // by which a part knows the file of its job
	Command   []string // that a part is
	Sizes     []int    // what each piece takes, compared with the others, 1 or more
	// Read reads a file that a process has finished, and returns the numbers of the pieces in it. A
	// piece may be in several files, in each the same.
	Read func(path string) (pieces []int, err error)
	// Report is told how it stands, also when nothing has changed. An error ends the waiting.
	Report func(done int, s farm.State) error
}

// Parts are the pieces of each part of a job.
type Parts struct{ Parts [][]int }

// wait waits for the pieces of a work that are left.
type wait struct {
	*Work
	left       map[int]bool
	read       map[string]bool // files
	submission *Submission
	state      farm.State
}

// Run has the pieces done that are in no file of the directory, and waits for them, or for those that
// a farm does already. The end of ctx ends the waiting alone.
func (w *Work) Run(ctx context.Context) error {
	r := &wait{Work: w, left: make(map[int]bool), read: make(map[string]bool)}
	for k := range w.Sizes {
		r.left[k] = true
	}
	for {
		if err := r.settle(ctx); err != nil || len(r.left) == 0 {
			return err
		}
		if err := r.follow(ctx); err != nil {
			return err
		}
	}
}

// fault is what a machine has that keeps it from working.
type fault struct{ text string }

func (e *fault) Error() string { return e.text }

// settle looks what is finished, and has the rest done if nothing is under way. The directory is
// locked meanwhile.
func (r *wait) settle(ctx context.Context) (err error) {
	for _, name := range []string{Jobs, Logs, processes} {
		if err := os.MkdirAll(filepath.Join(r.Directory, name), 0o777); err != nil {
			return err
		}
	}
	held, err := r.lock(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, held.Release()) }()
	kind, err := kindOf(r.Farm)
	if err != nil {
		return err
	}
	s, err := Read(r.Directory)
	if err != nil {
		return err
	}
	if s != nil && s.Stopped {
		s = nil
	}
	r.submission, r.state = s, farm.State{Over: true}
	if s != nil {
		if own, its := nameOf(kind), nameOf(s.Kind); own != its {
			return fmt.Errorf("a farm of another kind, %s, works in %s, by %s: wait for it with that, or stop it (experiment.Stop, hierml study stop)", its, r.Directory, s.Last())
		}
		s.Farm = r.Farm
		if r.state, err = s.State(ctx); err != nil {
			return err
		}
	}
	if err := r.collect(s); err != nil {
		return r.ended(ctx, err)
	}
	switch {
	case len(r.left) == 0:
		if s != nil && !r.state.Over {
			err = s.Cancel(ctx)
		}
		return errors.Join(err, Remove(r.Directory))
	case s != nil && !r.state.Over:
		return nil // attached
	case s != nil && len(s.Attempts) >= MostAttempts:
		s.Stopped = true
		return errors.Join(r.lost(), s.Keep(r.Directory))
	}
	return r.submit(ctx, kind)
}

// kindOf is a farm as a study in JSON has it: the name of its type, and with that what is set.
func kindOf(f farm.Farm) (json.RawMessage, error) {
	text, err := json.Marshal(f)
	if err != nil {
		return nil, err
	}
	var fields map[string]any
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, err
	}
	maps.DeleteFunc(fields, func(_ string, v any) bool { return v == nil || v == 0.0 })
	return json.Marshal(map[string]any{fmt.Sprintf("%T", f): fields})
}

// nameOf is the name of a farm's type.
func nameOf(kind json.RawMessage) string {
	var named map[string]json.RawMessage
	if json.Unmarshal(kind, &named) != nil {
		return ""
	}
	for name := range named {
		return name
	}
	return ""
}

// lock locks the directory, for which others may be about to submit.
func (r *wait) lock(ctx context.Context) (*lock.Lock, error) {
	for begun := time.Now(); ; {
		l, err := lock.Alone(filepath.Join(r.Directory, "lock"))
		if l != nil || err != nil {
			return l, err
		}
		if time.Since(begun) > lockPatience {
			return nil, fmt.Errorf("%s is in use by another process", r.Directory)
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(Pause(begun, time.Second)):
		}
	}
}

// Pause is how long to wait before something is asked again: a tenth of what has been waited for, a
// tenth of a second at least.
func Pause(since time.Time, most time.Duration) time.Duration {
	return min(most, max(time.Since(since)/10, 100*time.Millisecond))
}

// submit has a farm do what is left.
func (r *wait) submit(ctx context.Context, kind json.RawMessage) error {
	most, err := Most(ctx, r.Farm)
	if err != nil {
		return err
	}
	number, err := LastNumber(r.Directory)
	if err != nil {
		return err
	}
	name := Name(number+1, 1)
	parts := r.share(min(most, blindParts))
	text, err := json.Marshal(Parts{parts})
	if err == nil {
		err = replace.Content(Path(r.Directory, name), append(text, '\n'))
	}
	if err != nil {
		return err
	}
	j, err := Submit(ctx, r.Farm, r.Directory, name, r.Variable, farm.Job{Parts: len(parts), Command: r.Command})
	if err != nil {
		return err
	}
	next := &Submission{Kind: kind, Farm: r.Farm}
	if r.submission != nil {
		next.Attempts = r.submission.Attempts
	}
	next.Attempts = append(next.Attempts, Attempt{j})
	r.submission, r.state = next, farm.State{}
	return next.Keep(r.Directory)
}

// share shares what is left out to at most so many parts, each of about the same size, the largest
// pieces first.
func (r *wait) share(most int) [][]int {
	left := make([]int, 0, len(r.left))
	for k := range r.left {
		left = append(left, k)
	}
	slices.SortFunc(left, func(a, b int) int { return cmp.Or(cmp.Compare(r.Sizes[b], r.Sizes[a]), cmp.Compare(a, b)) })
	parts := make([][]int, min(most, len(left)))
	loads := make([]int, len(parts))
	for _, k := range left {
		least := slices.Index(loads, slices.Min(loads))
		parts[least], loads[least] = append(parts[least], k), loads[least]+max(1, r.Sizes[k])
	}
	return parts
}

// collect reads the files that are new: those of the processes of a submission, and of ones before.
func (r *wait) collect(s *Submission) error {
	folders, err := os.ReadDir(filepath.Join(r.Directory, processes))
	if err != nil {
		return err
	}
	for _, folder := range folders {
		path := filepath.Join(r.Directory, processes, folder.Name())
		own := s != nil && slices.ContainsFunc(s.Names(), func(job string) bool { return strings.HasPrefix(folder.Name(), job+"-") })
		if text, err := os.ReadFile(filepath.Join(path, faultFile)); own && err == nil {
			return &fault{string(text)}
		}
		files, err := finished(path)
		if err != nil {
			return err
		}
		for _, file := range files {
			if r.read[file] {
				continue
			}
			pieces, err := r.Read(file)
			if err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			r.read[file] = true
			for _, k := range pieces {
				delete(r.left, k)
			}
		}
	}
	return nil
}

// finished returns the files that a process has finished.
func finished(folder string) ([]string, error) { return named(folder, "", suffix) }

// ended is err, for which nobody waits any more if it is a machine's fault.
func (r *wait) ended(ctx context.Context, err error) error {
	if f := (*fault)(nil); errors.As(err, &f) && r.submission != nil {
		err = errors.Join(err, r.submission.Stop(ctx, r.Directory))
	}
	return err
}

// lost is the error of pieces that did not come back.
func (r *wait) lost() error {
	text := fmt.Sprintf("%d of %d problems did not come back from %d attempts", len(r.left), len(r.Sizes), len(r.submission.Attempts))
	if said := r.submission.Last().LastSaid(r.Directory, r.state.Failed); said != "" {
		return fmt.Errorf("%s; %s", text, said)
	}
	return fmt.Errorf("%s; what their processes printed is in %s. If they were killed for want of memory, give parts more, with Slurm by the option --mem of sbatch", text, filepath.Join(r.Directory, Logs))
}

// follow waits until all pieces are finished, or nothing is under way any more.
func (r *wait) follow(ctx context.Context) error {
	begun, jobs := time.Now(), r.submission.Last()
	detached := func(why error) error {
		return fmt.Errorf("%s goes on, with %d of %d problems finished: train again to wait for the rest, or stop it (experiment.Stop, hierml study stop %s): %w", jobs, len(r.Sizes)-len(r.left), len(r.Sizes), r.Directory, why)
	}
	var asked time.Time
	for {
		err := r.collect(r.submission)
		if err == nil && len(r.left) > 0 && time.Since(asked) >= Pause(begun, 5*time.Second) {
			err = r.ask(ctx)
			asked = time.Now()
			if err == nil && r.state.Over {
				err = r.collect(r.submission)
			}
		}
		switch {
		case err != nil && ctx.Err() != nil:
			return detached(context.Cause(ctx))
		case err != nil:
			return r.ended(ctx, err)
		}
		if err := r.Report(len(r.Sizes)-len(r.left), r.state); err != nil {
			return detached(err)
		}
		if len(r.left) == 0 || r.state.Over {
			return nil
		}
		select {
		case <-ctx.Done():
			return detached(context.Cause(ctx))
		case <-time.After(Pause(begun, 2*time.Second)):
		}
	}
}

// ask asks the farm how its jobs stand. That it does not answer for a while is no error: the pieces
// come by the directory.
func (r *wait) ask(ctx context.Context) error {
	now, err := Read(r.Directory)
	switch {
	case err != nil:
		return err
	case now != nil && now.Stopped:
		return fmt.Errorf("this was stopped, with %d of %d problems finished; train again to go on", len(r.Sizes)-len(r.left), len(r.Sizes))
	}
	state, err := r.submission.State(ctx)
	if err != nil {
		return context.Cause(ctx)
	}
	r.state = state
	if err := r.submission.Last().Unseen(r.Directory, state.Failed, func(job string, part int) bool {
		folders, err := named(filepath.Join(r.Directory, processes), folderOf(job, part), "")
		return err == nil && len(folders) > 0
	}); err != nil {
		return &fault{err.Error()}
	}
	return nil
}

// folderOf is how the names of the folders of the processes of a part begin.
func folderOf(job string, part int) string { return fmt.Sprintf("%s-%05d-", job, part) }
