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

	"github.com/hierml/notebook/hierml/farm"
	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/internal/folder"
)

// blindParts is the number of parts that pieces are shared out to: nothing is known of how long
// they take, and an engine needs about a second to start a part.
const blindParts = 32

const (
	// the folder of a folder for each process, with the files that it has finished
	processes = "parts"
	faultFile = "fault" // in the folder of a process: what keeps its machine from working
	suffix    = ".safetensors"
)

// Training is the problems of a training, which do not depend on each other and are known by their
// numbers, for a farm to solve. It is the Pieces of a Work.
type Training struct {
	Farm      farm.Farm
	Directory string   // an absolute path
	Variable  string   // the environment variable that names the file of its job to a part
	Words     []string // the command that a part runs
	Sizes     []int    // what each problem takes, compared with the others, 1 or more
	// Read reads a file that a process has finished, and returns the numbers of the problems in it.
	// A problem may be in several files, in each the same.
	Read func(file *os.File) (problems []int, err error)
	// Progress is called after each look, even if nothing has changed. An error ends the waiting.
	Progress func(done int, s farm.State) error

	kind json.RawMessage
	left map[int]bool
	read map[string]bool // files
}

// Parts are the problems of each part of a job.
type Parts struct{ Parts [][]int }

// Run gives the problems that are in no file of the directory to the farm, and waits for them, or
// for those that a farm is solving. The end of ctx ends the waiting alone.
func (t *Training) Run(ctx context.Context) (err error) {
	if t.kind, err = kindOf(t.Farm); err != nil {
		return named(err)
	}
	t.left, t.read = make(map[int]bool), make(map[string]bool)
	for k := range t.Sizes {
		t.left[k] = true
	}
	w := &Work{Farm: t.Farm, Kind: t.kind, Directory: t.Directory, Variable: t.Variable, Name: "the training", Again: "train again", Pieces: t}
	err = w.Run(ctx)
	if w.Note != "" {
		progress.Note(ctx, w.Note)
	}
	return err
}

func (t *Training) Lock() (unlock func() error, busy bool, err error) {
	if err := Make(t.Directory, processes); err != nil {
		return nil, false, err
	}
	held, err := folder.Folder(t.Directory).Lock("lock")
	if err == nil && held == nil {
		return nil, true, fmt.Errorf("farm: %s is in use by another process", t.Directory)
	}
	return held.Close, false, named(err)
}

func (t *Training) FarmOf(s *Submission) (farm.Farm, error) {
	if own, its := nameOf(t.kind), nameOf(s.Kind); own != its {
		return nil, fmt.Errorf("farm: a farm of another kind, %s, is at work in %s (%s): wait for it, or stop it (experiment.Stop, hierml study stop)", its, t.Directory, s.Last())
	}
	return t.Farm, nil
}

func (t *Training) Settle(s *Submission, running bool) (missing int, err error) {
	if missing, err = t.Collect(s); err != nil || running {
		return missing, err
	}
	folders, err := namesIn(t.Directory, processes, "", "")
	for _, name := range folders {
		err = errors.Join(err, named(folder.Folder(t.Directory).Clear(name, func(name string) bool {
			return name == faultFile || strings.HasSuffix(name, suffix)
		})))
	}
	return missing, errors.Join(err, Clear(t.Directory))
}

// LeftBy is true: each attempt has all problems that are missing.
func (t *Training) LeftBy(Attempt) bool { return true }

func (t *Training) Command() ([]string, error) { return t.Words, nil }

// Share shares what is left out to the parts of one job, each of about the same size, the largest
// problems first.
func (t *Training) Share(_ []string, most int) ([]Assignment, error) {
	left := slices.SortedFunc(maps.Keys(t.left), func(a, b int) int { return cmp.Or(cmp.Compare(t.Sizes[b], t.Sizes[a]), cmp.Compare(a, b)) })
	parts := make([][]int, min(most, blindParts, len(left)))
	loads := make([]int, len(parts))
	for _, k := range left {
		least := slices.Index(loads, slices.Min(loads))
		parts[least], loads[least] = append(parts[least], k), loads[least]+max(1, t.Sizes[k])
	}
	text, err := json.Marshal(Parts{parts})
	return []Assignment{{text, len(parts)}}, err
}

func (t *Training) Begun(job string, part int) bool {
	folders, err := namesIn(t.Directory, processes, folderOf(job, part), "")
	return err == nil && len(folders) > 0
}

func (t *Training) Finished() string {
	return fmt.Sprintf("%d of %d problems", len(t.Sizes)-len(t.left), len(t.Sizes))
}

func (t *Training) Report(s farm.State) error { return t.Progress(len(t.Sizes)-len(t.left), s) }

// Collect reads the files that are new: those of the processes of a submission, and of ones before.
func (t *Training) Collect(s *Submission) (missing int, err error) {
	folders, err := namesIn(t.Directory, processes, "", "")
	if err != nil {
		return 0, err
	}
	for _, name := range folders {
		if s != nil && slices.ContainsFunc(s.Names(), func(job string) bool { return strings.HasPrefix(filepath.Base(name), job+"-") }) {
			switch text, err := folder.Folder(t.Directory).Read(filepath.Join(name, faultFile)); {
			case err == nil:
				return len(t.left), &Fault{string(text)}
			case !errors.Is(err, fs.ErrNotExist):
				return len(t.left), named(err)
			}
		}
		files, err := finished(t.Directory, name)
		if err != nil {
			return len(t.left), err
		}
		for _, file := range files {
			if t.read[file] {
				continue
			}
			problems, err := piecesIn(t.Directory, file, t.Read)
			if err != nil {
				return len(t.left), err
			}
			t.read[file] = true
			for _, k := range problems {
				delete(t.left, k)
			}
		}
	}
	return len(t.left), nil
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

// finished returns the files that a process has finished, by the name of its folder.
func finished(directory, name string) ([]string, error) { return namesIn(directory, name, "", suffix) }

// piecesIn reads a file that a process has finished.
func piecesIn(directory, name string, read func(file *os.File) ([]int, error)) (pieces []int, err error) {
	file, err := folder.Folder(directory).Open(name)
	if err != nil {
		return nil, named(err)
	}
	defer func() { err = errors.Join(err, named(file.Close())) }()
	if pieces, err = read(file); err != nil {
		return nil, fmt.Errorf("farm: %s: %w", file.Name(), err)
	}
	return pieces, nil
}

// folderOf is how the names of the folders of the processes of a part begin.
func folderOf(job string, part int) string { return fmt.Sprintf("%s-%05d-", job, part) }
