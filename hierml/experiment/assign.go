package experiment

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/hierml/notebook/hierml/internal/farmed"
)

// Assign distributes the unfinished cells to at most the given number of parts (0 chooses a
// number), for an engine that package farm does not support. Each part is a process "hierml study
// part" on a machine that can access the study's Directory. Set [JobVariable] to the path of the
// returned file, and farm.PartVariable to the number of the part, from 0 to parts-1. Finished cells
// are in the Directory at once, for Load and for Run, which computes the missing ones at the end. A
// process that is run again completes its part. A point that is chosen is in the same part as the
// cells that choose it. If all cells are finished there are no parts.
func (s *Study) Assign(ctx context.Context, most int) (file string, parts int, err error) {
	if s, err = s.checked(); err != nil {
		return "", 0, err
	}
	switch {
	case s.Directory == "":
		return "", 0, errors.New("experiment: a study in parts needs a Directory that all machines can access")
	case most < 0:
		return "", 0, fmt.Errorf("experiment: %d parts; ask for 1 or more, or for 0 to let the study choose", most)
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
