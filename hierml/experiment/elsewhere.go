package experiment

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/hierml/notebook/hierml/farm"
	"github.com/hierml/notebook/hierml/internal/farmed"
	"github.com/hierml/notebook/hierml/internal/guarded"
	"github.com/hierml/notebook/internal/machine"
)

// JobVariable is the environment variable with the path of the job file of a process; see
// [Study.Assign].
const JobVariable = "HIERML_JOB"

// role is what a farm has started this process for.
type role struct {
	directory string // of the study
	job       string // name of the assignment
	part      int
}

// assignedRole returns it, nil if no farm has.
func assignedRole() (*role, error) {
	part, ok, err := farm.Part()
	file := os.Getenv(JobVariable)
	if err != nil || !ok || file == "" {
		return nil, err
	}
	return &role{filepath.Dir(filepath.Dir(file)), strings.TrimSuffix(filepath.Base(file), ".json"), part}, nil
}

// RunPart computes the part of a study for which a farm started this process, using the study in
// JSON in its directory. The environment says which part.
func RunPart(ctx context.Context) error {
	h, err := assignedRole()
	if err != nil {
		return err
	}
	if h == nil {
		return fmt.Errorf("experiment: this process is not a part of a study; a farm starts parts with %s and %s set", farm.PartVariable, JobVariable)
	}
	s, err := ReadStudy(h.directory)
	if err != nil {
		return h.unseen(err)
	}
	s.Directory = h.directory
	if s, err = s.checked(); err != nil {
		return err
	}
	return s.part(ctx, h)
}

// unseen is the error of a file of the directory that cannot be read.
func (h *role) unseen(err error) error {
	return fmt.Errorf("experiment: machine %s cannot read the directory %s of the study as the machine that submitted it can: %w; put it on a file system that all machines share",
		farm.Machine(), h.directory, err)
}

// elsewhere is Run in a process that a farm has started as a part: of this study, or of another one
// of the same program.
func (s *Study) elsewhere(ctx context.Context, h *role, err error) (*Results, error) {
	if err != nil {
		return nil, err
	}
	own, err := filepath.Abs(s.Directory)
	if err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	switch {
	case s.Directory == "":
		return s.inProcess(ctx)
	case !sameFolder(own, h.directory):
		r, err := Load(s.Directory)
		if err == nil && r.Missing > 0 {
			err = fmt.Errorf("experiment: %s of %s are not finished, and this process is a part of %s", plural(r.Missing, "cell"), s.Directory, h.directory)
		}
		return r, err
	}
	s.Directory = h.directory
	if err := s.part(ctx, h); err != nil {
		return nil, err
	}
	os.Exit(0) // what follows in the program is left to the process that waits for the parts
	return nil, nil
}

func sameFolder(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// errReplaced ends a process of a part that another one computes by now.
var errReplaced = errors.New("experiment: another process is computing this part")

// part computes a part of the study, which is checked.
func (s *Study) part(ctx context.Context, h *role) (err error) {
	a, err := readAssignment(h.directory, h.job)
	if err != nil {
		return h.unseen(err)
	}
	if h.part >= len(a.Parts) {
		return fmt.Errorf("experiment: %s has %d parts, so there is no part %d", h.job, len(a.Parts), h.part)
	}
	if last, err := farmed.LastNumber(h.directory); err != nil || last > farmed.Number(h.job) {
		return err // what is missing was submitted anew: nobody knew of this job
	}
	kept, next, err := createPartFile(h.directory, h.job, h.part)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, kept.close()) }()
	if err := kept.remark(remark{Process: &processRemark{farm.Machine(), os.Getpid(), memory()}}); err != nil {
		return err
	}
	err = s.assigned(ctx, h, a, kept, next)
	switch {
	case errors.Is(err, errReplaced):
		return nil
	case err != nil && ctx.Err() == nil:
		err = errors.Join(err, kept.remark(remark{Fault: err.Error()}))
	}
	return errors.Join(err, kept.remark(remark{End: true}))
}

// assigned computes the cells of a part and keeps them.
func (s *Study) assigned(ctx context.Context, h *role, a *assignment, kept *store, next string) error {
	if a.Format != format || len(a.Data) != len(s.Data) {
		return fmt.Errorf("experiment: machine %s runs another version of the program, or of the study, than the machine that submitted it; use the same on both", farm.Machine())
	}
	if a.Files != nil {
		if len(a.Files) != len(s.Data) {
			return fmt.Errorf("experiment: the job %s names %d files, and the study has %s", h.job, len(a.Files), plural(len(s.Data), "data set"))
		}
		s.DataFolder = "" // paths are whole
		for i, path := range a.Files {
			if s.Data[i].File != "" {
				s.Data[i].File = path
			}
		}
	}
	s.Progress, s.Retry = nil, false
	s.Workers = guarded.Workers(s.Workers)
	runtime.GOMAXPROCS(s.Workers)
	data := make([]*source, len(s.Data))
	for i := range data {
		d := &s.Data[i]
		data[i] = &source{Data: d, identity: a.Data[i], promised: !d.drawn()}
		if d.drawn() {
			data[i].identity = d.how()
		}
	}
	p, err := s.planOf(data)
	if err != nil {
		return err
	}
	mine, wanted := make(map[*job]bool), make(map[string]bool)
	for _, key := range a.Parts[h.part] {
		j := p.byKey[key]
		if j == nil {
			return fmt.Errorf("experiment: on machine %s the study does not have the submitted cell %s: the program or its data differ there, or the program does not do the same every time", farm.Machine(), key)
		}
		mine[j] = true
		for _, inner := range j.inner {
			mine[inner], wanted[inner.key] = true, true
		}
	}
	// Cells that another process of this part has finished, and the inner ones of all parts.
	found := newReader(h.directory)
	ignore := func(string) {}
	if err := found.part(h.job, h.part, func(_ string, c *Cell) { kept.cells[c.Key] = c }, ignore); err != nil {
		return err
	}
	if len(wanted) > 0 {
		all, _, err := readCells(h.directory)
		if err != nil {
			return err
		}
		for key := range wanted {
			if c := all[key]; c != nil {
				kept.cells[key] = c
			}
		}
	}
	p.cells = slices.DeleteFunc(p.cells, func(j *job) bool { return !mine[j] })
	r := newRun(p, kept)
	r.before = func(j *job) error {
		switch replaced, err := found.Has(next); {
		case err != nil:
			return fmt.Errorf("experiment: %w", err)
		case replaced:
			return errReplaced
		}
		return kept.remark(remark{Begin: j.key})
	}
	return r.all(ctx)
}

// memory says what a part may have.
func memory() string {
	if bytes := machine.Memory(); bytes > 0 {
		return fmt.Sprintf("%d MiB", bytes>>20)
	}
	return ""
}
