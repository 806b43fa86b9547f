package farmed

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hierml/notebook/hierml/farm"
	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/internal/folder"
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
	Read func(file *os.File) (pieces []int, err error)
	// Report is told how it stands, also when nothing has changed. An error ends the waiting.
	Report func(done int, s farm.State) error
}

// Parts are the pieces of each part of a job.
type Parts struct{ Parts [][]int }

// wait waits for the pieces of a work that are left.
type wait struct {
	*Work
	jobs Follower
	left map[int]bool
	read map[string]bool // files
}

// Run has the pieces done that are in no file of the directory, and waits for them, or for those that
// a farm does already. The end of ctx ends the waiting alone.
func (w *Work) Run(ctx context.Context) error {
	r := &wait{Work: w, left: make(map[int]bool), read: make(map[string]bool)}
	r.jobs = Follower{
		Directory: w.Directory, Work: "the training", Again: "train again",
		Finished: func() string { return fmt.Sprintf("%d of %d problems", len(w.Sizes)-len(r.left), len(w.Sizes)) },
		Collect: func() (int, error) {
			err := r.collect(r.jobs.Submission)
			return len(r.left), err
		},
		Report: func() error { return w.Report(len(w.Sizes)-len(r.left), r.jobs.State) },
		Begun: func(job string, part int) bool {
			folders, err := named(w.Directory, processes, folderOf(job, part), "")
			return err == nil && len(folders) > 0
		},
	}
	for k := range w.Sizes {
		r.left[k] = true
	}
	for {
		if err := r.settle(ctx); err != nil || len(r.left) == 0 {
			return err
		}
		if err := r.jobs.Follow(ctx); err != nil {
			return err
		}
	}
}

// settle looks what is finished, and has the rest done if nothing is under way. The directory is
// locked meanwhile.
func (r *wait) settle(ctx context.Context) (err error) {
	if err := Make(r.Directory, processes); err != nil {
		return err
	}
	held, err := r.lock(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, held.Close()) }()
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
	r.jobs.Submission, r.jobs.State = s, farm.State{Over: true}
	if s != nil {
		if own, its := nameOf(kind), nameOf(s.Kind); own != its {
			return fmt.Errorf("a farm of another kind, %s, works in %s, by %s: wait for it with that, or stop it (experiment.Stop, hierml study stop)", its, r.Directory, s.Last())
		}
		s.Farm = r.Farm
		if r.jobs.State, err = s.State(ctx, r.Directory); err != nil {
			return err
		}
	}
	if err := r.collect(s); err != nil {
		return r.jobs.Ended(ctx, err)
	}
	if r.jobs.State.Over {
		if err := r.clear(); err != nil {
			return err
		}
	}
	switch {
	case len(r.left) == 0:
		if s != nil && !r.jobs.State.Over {
			if !s.Last().Own() {
				progress.Note(ctx, s.Last().Left(r.Directory))
				return nil
			}
			err = s.Cancel(ctx, r.Directory)
		}
		return errors.Join(err, Remove(r.Directory))
	case s != nil && !r.jobs.State.Over:
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
func (r *wait) lock(ctx context.Context) (*os.File, error) {
	for begun := time.Now(); ; {
		l, err := folder.Folder(r.Directory).Lock("lock")
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
		err = folder.Folder(r.Directory).Replace(File(name), append(text, '\n'))
	}
	if err != nil {
		return err
	}
	j, err := Submit(ctx, r.Farm, r.Directory, name, r.Variable, farm.Job{Parts: len(parts), Command: r.Command})
	if err != nil {
		return err
	}
	next := &Submission{Kind: kind, Farm: r.Farm}
	if r.jobs.Submission != nil {
		next.Attempts = r.jobs.Submission.Attempts
	}
	next.Attempts = append(next.Attempts, Attempt{j})
	r.jobs.Submission, r.jobs.State = next, farm.State{}
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
	folders, err := named(r.Directory, processes, "", "")
	if err != nil {
		return err
	}
	for _, name := range folders {
		if s != nil && slices.ContainsFunc(s.Names(), func(job string) bool { return strings.HasPrefix(filepath.Base(name), job+"-") }) {
			switch text, err := folder.Folder(r.Directory).Read(filepath.Join(name, faultFile)); {
			case err == nil:
				return &Fault{string(text)}
			case !errors.Is(err, fs.ErrNotExist):
				return err
			}
		}
		files, err := finished(r.Directory, name)
		if err != nil {
			return err
		}
		for _, file := range files {
			if r.read[file] {
				continue
			}
			pieces, err := piecesIn(r.Directory, file, r.Read)
			if err != nil {
				return err
			}
			r.read[file] = true
			for _, k := range pieces {
				delete(r.left, k)
			}
		}
	}
	return nil
}

// clear removes what killed processes have left half written. Nothing is under way.
func (r *wait) clear() error {
	folders, err := named(r.Directory, processes, "", "")
	for _, name := range folders {
		err = errors.Join(err, folder.Folder(r.Directory).Clear(name, func(name string) bool {
			return name == faultFile || strings.HasSuffix(name, suffix)
		}))
	}
	return errors.Join(err, Clear(r.Directory))
}

// finished returns the files that a process has finished, by the name of its folder.
func finished(directory, name string) ([]string, error) { return named(directory, name, "", suffix) }

// piecesIn reads a file that a process has finished.
func piecesIn(directory, name string, read func(file *os.File) ([]int, error)) (pieces []int, err error) {
	file, err := folder.Folder(directory).Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if pieces, err = read(file); err != nil {
		return nil, fmt.Errorf("%s: %w", file.Name(), err)
	}
	return pieces, nil
}

// lost is the error of pieces that did not come back.
func (r *wait) lost() error {
	text := fmt.Sprintf("%d of %d problems did not come back from %d attempts", len(r.left), len(r.Sizes), len(r.jobs.Submission.Attempts))
	if said := r.jobs.Submission.Last().LastSaid(r.Directory, r.jobs.State.Failed); said != "" {
		return fmt.Errorf("%s; %s", text, said)
	}
	return fmt.Errorf("%s; what their processes printed is in %s. If they were killed for want of memory, give parts more, with Slurm by the option --mem of sbatch", text, filepath.Join(r.Directory, Logs))
}

// folderOf is how the names of the folders of the processes of a part begin.
func folderOf(job string, part int) string { return fmt.Sprintf("%s-%05d-", job, part) }
