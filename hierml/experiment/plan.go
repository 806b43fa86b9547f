package experiment

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/hierml/notebook/hierml/files"
	"github.com/hierml/notebook/hierml/progress"
)

// place is where a cell is in a study.
type place struct {
	data, perClass, repeat int // repeat from 1
	fold                   int // from 1, of several divisions in a repeat; otherwise 0
	inner                  int // from 1, of a division of what is trained on; otherwise 0
}

// outer is the place without its inner division.
func (p place) outer() place {
	p.inner = 0
	return p
}

// job is a cell to run.
type job struct {
	place
	method int
	point  point  // nil where it is chosen
	inner  []*job // of a job whose point is chosen, those it is chosen by: all of a point together
	waits  int    // of inner, those not yet done

	identity string // all that determines the outcome; of a chosen point, without it
	key      string
	outerJob *job // of an inner one, the one that waits for it
}

// chooses tells whether the point is chosen by inner jobs.
func (j *job) chooses() bool { return len(j.inner) > 0 }

// plan is what a study has to do.
type plan struct {
	study *Study // checked
	data  []*source
	cells []*job // in the order of the table: those of a division together, inner ones first
	byKey map[string]*job
}

// source is a data set of the study.
type source struct {
	*Data
	identity string
	kept     *instances // opened for the identity, until it is used
	// undivided tells that the data are not drawn and have no division of their own.
	undivided bool
	// the identity is that of where the study was submitted, and not yet seen in the data
	promised bool
}

// format stands for what the values of cells mean.
const format = 2

// join makes one text of parts, none of which can be mistaken for two.
func join(parts ...any) string {
	text, err := json.Marshal(parts)
	if err != nil { // parts are texts and numbers
		return err.Error()
	}
	return string(text)
}

// seed returns a seed for what the parts are.
func seed(parts ...any) uint64 {
	sum := sha256.Sum256([]byte(join(parts...)))
	return binary.LittleEndian.Uint64(sum[:])
}

// plan opens the data, as far as they are part of what cells are known by, and lists the cells.
func (s *Study) plan(ctx context.Context) (*plan, error) {
	var data []*source
	for i := range s.Data {
		source, err := newSource(ctx, &s.Data[i], s.dataFolder(), i == 0, func(d *Data, in *instances) error {
			return errors.Join(s.divide(in), s.encode(ctx, d, in))
		})
		if err != nil {
			return nil, err
		}
		data = append(data, source)
	}
	return s.planOf(data)
}

// planOf lists the cells on these data.
func (s *Study) planOf(data []*source) (*plan, error) {
	p := &plan{study: s, data: data, byKey: make(map[string]*job)}
	first, folds := s.Split.numbers()
	for i := range p.data {
		for _, t := range s.Split.perClass() {
			for repeat := 1; repeat <= s.Repeats; repeat++ {
				for fold := first; fold <= folds; fold++ {
					if err := p.division(place{data: i, perClass: t, repeat: repeat, fold: fold}); err != nil {
						return nil, err
					}
				}
			}
		}
	}
	return p, nil
}

// divide tries the divisions that are to be made of data, so that those that cannot be made are an
// error before anything is trained: of what is drawn the first alone, as others fail for the same
// reasons.
func (s *Study) divide(in *instances) error {
	first, last := s.Split.numbers()
	if len(s.Split.Rounds) == 0 {
		last = first
	}
	for _, t := range s.Split.perClass() {
		for fold := first; fold <= last; fold++ {
			outer, err := in.division(s.Split, t, fold, s.Seed)
			if err != nil {
				return err
			}
			if s.Inner.zero() {
				continue
			}
			inner, _ := s.Inner.numbers()
			if _, err := in.divideWithin(outer, s.Inner, inner, s.Seed); err != nil {
				return fmt.Errorf("the part for training, divided again by Study.Inner: %w", err)
			}
		}
	}
	return nil
}

// encode tries whether a table can become features at a point of each method, so that numbers that
// are missing, of which nothing says what stands for them, are an error before anything is trained.
func (s *Study) encode(ctx context.Context, d *Data, in *instances) error {
	if in.table == nil {
		return nil
	}
	tried := make(map[string]bool)
	for m := range s.Methods {
		points, err := s.Methods[m].points(s.Seed)
		if err != nil {
			return err
		}
		var fault error
		for _, p := range points {
			settings := p.ofData()
			if tried[settings.identity()] {
				fault = nil
				break
			}
			set, err := d.at(settings)
			if err != nil {
				return err
			}
			if _, err := set.Columns.Fit(progress.Silent(ctx), in.table); err == nil {
				tried[settings.identity()], fault = true, nil
				break
			} else if fault == nil {
				fault = err
			}
		}
		if fault != nil {
			return fault
		}
	}
	return nil
}

// formerly writes the types in a description of data by the names that they had first, when one
// package held generators and steps: seeds and the outcomes that are kept go by it, and stay what
// they were.
var formerly = strings.NewReplacer(`"synthetic.`, `"dataset.`, `"features.`, `"dataset.`).Replace

// newSource opens the data if what they are can be seen from their content alone, and keeps them if
// told. try is given them before.
func newSource(ctx context.Context, d *Data, folder dataFolder, keep bool, try func(d *Data, in *instances) error) (*source, error) {
	if d.drawn() {
		return &source{Data: d, identity: d.how()}, nil
	}
	in, err := d.open(ctx, folder, 0)
	if err != nil {
		return nil, err
	}
	if err := try(d, in); err != nil {
		return nil, fmt.Errorf("experiment: data set %q: %w", d.Name, err)
	}
	s := &source{Data: d, identity: d.identity(in), undivided: in.given == 0}
	if keep {
		s.kept = in
	}
	return s, nil
}

// how is what data are known by beside their content.
func (d *Data) how() string {
	how := *d
	how.Name, how.Open, how.Texts, how.Set, how.Collection, how.Corpus = "", "", "", nil, nil, nil
	how.File, how.Reader, how.Table = "", files.Table{}, nil
	if d.Generate != nil {
		how.Name = d.Name // a function is known by it
	}
	return formerly(canonical(how))
}

// identity is what data with a content are known by.
func (d *Data) identity(in *instances) string {
	content := digest(func(h *digester) {
		switch {
		case in.parts != nil:
			h.dataset(in.parts.Train)
			h.dataset(in.parts.Test)
		case in.texts != nil:
			h.corpus(in.texts)
		case in.table != nil:
			h.table(in.table)
		default:
			h.dataset(in.vectors)
		}
	})
	return join(content, d.how())
}

// division adds the cells of one division.
func (p *plan) division(at place) error {
	s := p.study
	var all []*job
	innerRounds := max(s.Inner.rounds(), 1)
	type candidate struct {
		outer *job
		point point
		index int // of the point in the grid
	}
	var candidates []candidate
	for m := range s.Methods {
		points, err := s.Methods[m].points(s.Seed)
		if err != nil {
			return err
		}
		if len(points) == 1 || s.Inner.zero() {
			for _, point := range points {
				all = append(all, &job{place: at, method: m, point: point})
			}
			continue
		}
		outer := &job{place: at, method: m, inner: make([]*job, len(points)*innerRounds), waits: len(points) * innerRounds}
		all = append(all, outer)
		for i, point := range points {
			candidates = append(candidates, candidate{outer, point, i})
		}
	}
	all = byData(all, func(j *job) point { return j.point })
	candidates = byData(candidates, func(c candidate) point { return c.point })
	for round := 1; round <= innerRounds; round++ {
		for _, c := range candidates {
			j := &job{place: at, method: c.outer.method, point: c.point, outerJob: c.outer}
			j.place.inner = round
			c.outer.inner[c.index*innerRounds+round-1] = j
			if err := p.add(j); err != nil {
				return err
			}
		}
	}
	for _, j := range all {
		if err := p.add(j); err != nil {
			return err
		}
	}
	return nil
}

// byData puts together what has the same settings of data, so that few transformed data are in
// memory at a time. What has none comes first, and all else stays in its order.
func byData[T any](all []T, at func(T) point) []T {
	groups := [][]T{nil}
	number := make(map[string]int)
	for _, of := range all {
		settings := at(of).ofData()
		if len(settings) == 0 {
			groups[0] = append(groups[0], of)
			continue
		}
		key := settings.identity()
		if number[key] == 0 {
			number[key] = len(groups)
			groups = append(groups, nil)
		}
		groups[number[key]] = append(groups[number[key]], of)
	}
	return slices.Concat(groups...)
}

// where is what the division at a place is known by.
func (p *plan) where(at place) string {
	s := p.study
	split := s.Split
	split.PerClass, split.Rounds = nil, nil
	round := any(nil)
	if len(s.Split.Rounds) > 0 {
		round = s.Split.Rounds[at.fold-1]
		at.fold = 0
	}
	inner := ""
	if at.inner > 0 {
		inner = canonical(s.Inner)
	}
	return join(s.Seed, p.data[at.data].identity, canonical([]any{split, round}), at.perClass, at.repeat, at.fold, inner, at.inner)
}

func (p *plan) add(j *job) error {
	s := p.study
	m := &s.Methods[j.method]
	j.identity = join(p.where(j.place), m.identity(), j.point.identity())
	extra := []any{format, j.identity}
	if j.chooses() {
		extra = append(extra, canonical(map[string]any(gridText(m.Grid))), canonical(s.Inner), s.Select)
		if m.Draws > 0 {
			extra = append(extra, m.Draws)
		}
	}
	if j.place.inner == 0 && p.keepsInstances(j.data) {
		extra = append(extra, strings.Join(s.Measures, "\n"))
	}
	sum := sha256.Sum256([]byte(join(extra...)))
	j.key = hex.EncodeToString(sum[:8])
	if other, ok := p.byKey[j.key]; ok {
		return p.same(j, other)
	}
	p.byKey[j.key] = j
	p.cells = append(p.cells, j)
	return nil
}

// same is the error of two cells that are one.
func (p *plan) same(a, b *job) error {
	s := p.study
	switch {
	case a.data != b.data:
		return fmt.Errorf("experiment: data sets %q and %q have the same content; leave one out", p.data[b.data].Name, p.data[a.data].Name)
	case a.fold != b.fold:
		return fmt.Errorf("experiment: Split.Rounds has the same round at positions %d and %d; leave one out", b.fold-1, a.fold-1)
	}
	return fmt.Errorf("experiment: methods %q and %q are the same%s; leave one out", s.Methods[b.method].Name, s.Methods[a.method].Name, at(a.point))
}

func at(p point) string {
	if len(p) == 0 {
		return ""
	}
	return " at " + p.String()
}

func gridText(g Grid) map[string]any {
	object := make(map[string]any, len(g))
	for path, values := range g {
		object[path] = values
	}
	return object
}

// single tells whether there is one division, so that methods are compared over its instances.
func (s *Study) single() bool { return s.Repeats == 1 && s.Split.rounds() <= 1 }

// keepsInstances tells whether methods are compared over the instances of a data set: those of one
// division, or of several draws from the same ones.
func (p *plan) keepsInstances(data int) bool {
	return p.study.single() || len(p.study.Split.PerClass) > 0 && !p.data[data].drawn()
}

// seed returns the seed of a job whose point is given or chosen.
func (j *job) seed(p *plan, at point) uint64 {
	return seed(p.where(j.place), p.study.Methods[j.method].identity(), at.identity())
}

// divisionSeed is that by which the data are divided in a repeat. It does not depend on how many
// are drawn, so that smaller samples are parts of larger ones.
func (p *plan) divisionSeed(at place) uint64 {
	return seed("division", p.study.Seed, p.data[at.data].identity, at.repeat)
}

func (p *plan) innerSeed(at place) uint64 { return seed("inner", p.where(at.outer())) }

func (p *plan) dataSeed(at place) uint64 {
	// One that no other use of the same hash has.
	return rand.NewPCG(p.divisionSeed(at), 1).Uint64()
}
