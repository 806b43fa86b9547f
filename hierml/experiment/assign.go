package experiment

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/hierml/notebook/hierml/internal/farmed"
)

// Assign shares the cells that are not finished out to at most so many parts, 0 for as many as
// seems right, for an engine that package farm does not know: each part is a process "hierml study
// part" on a machine that sees the study's Directory, with [JobVariable] the path of the file that
// is returned, and farm.PartVariable its number, from 0 to parts-1. What processes finish is in the
// Directory at once, for Load and for Run, which computes what is missing in the end; a process
// that is run again does what is left of its part. A point that is chosen is in one part with the
// cells that choose it. Where all cells are finished there are no parts.
func (s *Study) Assign(ctx context.Context, most int) (file string, parts int, err error) {
	if s, err = s.checked(); err != nil {
		return "", 0, err
	}
	switch {
	case s.Directory == "":
		return "", 0, errors.New("experiment: a study in parts needs a Directory, which all machines see")
	case most < 0:
		return "", 0, fmt.Errorf("experiment: %d parts; there are 1 or more, 0 for as many as seems right", most)
	}
	if err := s.portable(); err != nil {
		return "", 0, err
	}
	if s.Directory, err = filepath.Abs(s.Directory); err != nil {
		return "", 0, fmt.Errorf("experiment: %w", err)
	}
	p, err := s.plan(ctx)
	if err != nil {
		return "", 0, err
	}
	kept, err := openStore(s.Directory)
	if err != nil {
		return "", 0, err
	}
	defer func() { err = errors.Join(err, kept.close()) }()
	if err := requireNoFarm(ctx, s.Directory); err != nil {
		return "", 0, err
	}
	if err := p.write(p.outline(kept.cells)); err != nil {
		return "", 0, err
	}
	r := newRun(p, kept)
	within := make(map[*job]bool)
	for _, j := range r.waiting {
		for _, inner := range j.inner {
			within[inner] = true
		}
	}
	var cells []*job
	for _, j := range r.waiting {
		if !within[j] {
			cells = append(cells, j)
		}
	}
	if len(cells) == 0 {
		return "", 0, nil
	}
	if err := farmed.Make(s.Directory); err != nil {
		return "", 0, err
	}
	number, err := farmed.LastNumber(s.Directory)
	if err != nil {
		return "", 0, err
	}
	if most == 0 {
		most = farmed.MaxParts
	}
	name := farmed.Name(number+1, 1)
	shared := r.timing.share(cells, most, func(*job) bool { return false })
	return farmed.Path(s.Directory, name), len(shared), p.assign(name, shared)
}
