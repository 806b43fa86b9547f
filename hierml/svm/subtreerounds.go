package svm

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/farm"
	"github.com/hierml/notebook/hierml/internal/farmed"
	"github.com/hierml/notebook/hierml/internal/safetensors"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
	"github.com/hierml/notebook/hierml/taxonomy"
	"github.com/hierml/notebook/internal/replace"
	"github.com/hierml/notebook/internal/turn"
)

// This file trains HR on a farm: each process has a group of subtrees, and they go from round to round
// together. In a round the process of group 0 tells the others the weights above, each solves its
// subtrees with these, from where it has left them, and tells group 0 what hangs from the nodes above:
// two vectors for each. Group 0 sums up the certificate, and moves the weights above.

// hrInSubtrees is HR, on a farm.
type hrInSubtrees struct {
	HR
	groups int
}

type hrChoices struct {
	C      float64
	Loss   solver.MarginLoss
	Groups int
}

func (s hrInSubtrees) choices() any { return hrChoices{s.C, s.Loss, s.groups} }

func (s hrInSubtrees) fitting(text []byte, settings solver.Settings, _ solver.Method) (fitting, error) {
	var c hrChoices
	err := json.Unmarshal(text, &c)
	return hrInSubtrees{HR{C: c.C, Loss: c.Loss, Settings: settings}, c.Groups}.fit, err
}

// usualGroups are how many groups there are on a farm that does not say how many parts run together.
const usualGroups = 8

// fitOnFarm trains on the farm of the settings.
func (s HR) fitOnFarm(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	if s.Kernel != nil || s.Method != nil || s.Graph != nil {
		return nil, errors.New("svm: on a farm HR has no Kernel, Method or Graph; leave them nil")
	}
	groups := usualGroups
	if f, ok := s.Settings.Farm.(interface{ MostTogether() int }); ok {
		groups = f.MostTogether()
	}
	return hrInSubtrees{s, groups}.fit(ctx, d)
}

func (s hrInSubtrees) fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	if !d.Taxonomy.IsTree() {
		return nil, errors.New("svm: on a farm HR is trained by subtrees, and nodes of this taxonomy have several parents; train it on one machine, with Settings.Farm nil")
	}
	if err := checkData(d); err != nil {
		return nil, err
	}
	c, err := defaultC(s.C)
	if err != nil {
		return nil, err
	}
	if err := s.Loss.Check(); err != nil {
		return nil, err
	}
	r, err := s.regularizer(ctx, d.Taxonomy)
	if err != nil {
		return nil, err
	}
	inputs, err := structured.NewLinear(d.X)
	if err != nil {
		return nil, err
	}
	cut, rows := cutTree(d.Taxonomy, s.groups), rowsOfLeaves(d)
	all := make([]part, len(cut.groups))
	for k := range all {
		g, err := newSubtrees(ctx, s.HR, cut, k, &solver.Tasks{Inputs: inputs, C: c, Loss: s.Loss}, rows)
		if err != nil {
			return nil, err
		}
		all[k] = part{
			size: len(g.tasks.Positive), origin: c * s.Loss.Value(0) * float64(d.X.Rows) * float64(len(g.tasks.Positive)),
			nodes: g.columns(), most: len(g.columns()) * d.X.Cols, together: g.solve,
		}
	}
	m, err := solveParts(ctx, s, all, r.attributes, d, s.Settings, nil)
	if m != nil {
		m.Name, m.C = "hierarchically regularized "+kind(s.Loss), c
	}
	return m, err
}

// subtrees are those of a group.
type subtrees struct {
	number  int
	cut     *cut
	tasks   *solver.Tasks // of the leaves
	nodes   []int         // of the whole, by node of the subtrees
	from    []int         // by leaf, the index of the node above that its subtree hangs from, -1 where the subtree is a root's
	rootsOf [][]int       // by node above that subtrees of the group hang from, their roots, as nodes of the subtrees
}

// newSubtrees returns the subtrees of a group, with the tasks completed. rows are the instances of the
// leaves of the whole.
func newSubtrees(ctx context.Context, s HR, c *cut, number int, tasks *solver.Tasks, rows [][]int32) (*subtrees, error) {
	t, g := c.tree, &subtrees{number: number, cut: c, tasks: tasks}
	own := make(map[int]int) // nodes of the subtrees
	root := make(map[int]int)
	var names []string
	var edges [][2]int
	for _, n := range t.Topological() {
		parents := t.Parents(n)
		_, isRoot := slices.BinarySearch(c.groups[number], n)
		below := false
		if len(parents) > 0 {
			_, below = own[parents[0]]
		}
		if !isRoot && !below {
			continue
		}
		k := len(names)
		own[n], names, g.nodes = k, append(names, t.Name(n)), append(g.nodes, n)
		if root[n] = n; below {
			root[n] = root[parents[0]]
			edges = append(edges, [2]int{own[parents[0]], k})
		}
	}
	tree, err := taxonomy.New(names, edges)
	if err != nil {
		return nil, err
	}
	hooks := c.hooks(number)
	g.rootsOf = make([][]int, len(hooks))
	for _, r := range c.groups[number] {
		if k, hangs := slices.BinarySearch(hooks, c.over(r)); hangs {
			g.rootsOf[k] = append(g.rootsOf[k], own[r])
		}
	}
	for _, leaf := range tree.Leaves() {
		n := g.nodes[leaf]
		tasks.Positive = append(tasks.Positive, rows[t.LeafIndex(n)])
		g.from = append(g.from, c.over(root[n]))
	}
	r, err := s.regularizer(ctx, tree)
	if err != nil {
		return nil, err
	}
	tasks.Attributes = r.attributes
	return g, nil
}

// columns are the nodes whose weights the group finds: its own and, of group 0, those above.
func (g *subtrees) columns() []int {
	if g.number > 0 {
		return g.nodes
	}
	return append(slices.Clone(g.nodes), g.cut.above...)
}

// hanging is what a group tells in a round.
type hanging struct {
	pulled, summed [][]float64 // by node above that subtrees of it hang from, the sums of u_r, of the weights and of the point of the dual
	primal, dual   float64     // of the group, with the weights above as they are
	last           []*solver.Result
}

// told is what group 0 tells in a round: besides the weights, these.
type told struct {
	Aim          float64 // the gap that is asked of a group
	End          bool    // the round before was the last
	Status       solver.Status
	Primal, Dual float64 // of the whole, at the end those of group 0
}

// Names of files, but for those of what groups tell.
func aboveName(round int) string  { return fmt.Sprintf("above-%05d.safetensors", round) }
func resultName(group int) string { return fmt.Sprintf("result-%05d.safetensors", group) }

// solve goes from round to round.
func (g *subtrees) solve(ctx context.Context, p *parts, r *farmed.Rounds, settings solver.Settings) (*outcome, error) {
	features := g.tasks.Inputs.Matrix().Cols
	begun, err := r.Begin(ctx)
	if err != nil || begun.Done {
		return nil, err
	}
	var lead *lead
	if g.number == 0 {
		if lead, err = newLead(g, r, begun, settings); err != nil {
			return nil, err
		}
	}
	var last []*solver.Result
	if begun.Round > 0 {
		h, err := readHanging(farmed.RoundsPath(r.Directory, begun.Folder, farmed.RoundName(begun.Round, g.number)), true)
		if err != nil {
			return nil, err
		}
		last = h.last
	}
	var w *structured.Weights
	var end outcome
	for round := begun.Round + 1; ; round++ {
		if lead != nil {
			if err := lead.tell(round); err != nil {
				return nil, err
			}
		}
		path, err := r.Await(ctx, aboveName(round))
		if err != nil {
			return nil, err
		}
		t, weights, err := readAbove(path, features)
		if err != nil {
			return nil, err
		}
		if t.End {
			if g.number == 0 {
				end.primal, end.dual = t.Primal, t.Dual
			}
			end.status, end.epochs = t.Status, round-1
			break
		}
		h, found, err := g.round(ctx, weights, last, solver.Settings{Gap: t.Aim, Seed: settings.Seed + uint64(round), Workers: settings.Workers})
		if err != nil {
			return nil, err
		}
		w, last = found, h.last
		end.primal, end.dual = h.primal, h.dual
		if err := r.Write(farmed.RoundName(round, g.number), h.write); err != nil {
			return nil, err
		}
		if lead != nil {
			if err := lead.gather(ctx, round); err != nil {
				return nil, err
			}
		}
		if err := cmp.Or(r.Remove(farmed.RoundName(round-2, g.number)), turn.Err(ctx)); err != nil {
			return nil, err
		}
	}
	g.keep(p, w, lead)
	return &end, nil
}

// round solves the subtrees with the weights above as they are, from where they were left.
func (g *subtrees) round(ctx context.Context, above [][]float64, last []*solver.Result, settings solver.Settings) (*hanging, *structured.Weights, error) {
	g.tasks.Origin = make([][]float64, len(g.from))
	for y, k := range g.from {
		if k >= 0 {
			g.tasks.Origin[y] = above[k]
		}
	}
	if last != nil {
		settings.Start = &solver.Result{Parts: last}
	}
	r, err := solver.SolveTasks(ctx, g.tasks, &settings)
	if err != nil {
		return nil, nil, err
	}
	h := &hanging{primal: r.Primal, last: r.Parts}
	var u [][]float64
	if h.dual, u, err = g.tasks.Dual(r.Parts); err != nil {
		return nil, nil, err
	}
	for _, roots := range g.rootsOf {
		pulled, summed := make([]float64, r.Weights.Features), make([]float64, r.Weights.Features)
		for _, root := range roots {
			floats.Add(pulled, r.Weights.Node(root))
			floats.Add(summed, u[g.tasks.Attributes.Column(root)])
		}
		h.pulled, h.summed = append(h.pulled, pulled), append(h.summed, summed)
	}
	return h, r.Weights, nil
}

// keep gives the weights to p, which are those of the last round.
func (g *subtrees) keep(p *parts, w *structured.Weights, lead *lead) {
	columns := g.columns()
	all := newWeights(columns, w.Features, w.Wide != nil)
	for c := range columns {
		var row []float64
		if c < len(g.nodes) {
			row = w.Node(c)
		} else {
			row = lead.above.u[c-len(g.nodes)]
		}
		for f, v := range row {
			all.Set(f, c, v)
		}
	}
	p.weights.set(g.number, columns, all, nil)
}

// lead is what group 0 does for all.
type lead struct {
	g      *subtrees
	rounds *farmed.Rounds
	above  *above
	goal   float64
	most   int // rounds
	told   told

	primal, dual float64 // the best so far
}

// newLead begins, or goes on behind a round of a start before.
func newLead(g *subtrees, r *farmed.Rounds, begun *farmed.Begun, settings solver.Settings) (*lead, error) {
	features := g.tasks.Inputs.Matrix().Cols
	a, err := newAbove(g.cut, features, settings.Wide())
	if err != nil {
		return nil, err
	}
	l := &lead{g: g, rounds: r, above: a, goal: cmp.Or(settings.Gap, solver.DefaultGap), most: cmp.Or(settings.MaxEpochs, solver.DefaultMaxEpochs), told: told{Aim: firstAim}, primal: math.Inf(1), dual: math.Inf(-1)}
	if len(a.w) == 0 {
		l.told.Aim = l.goal // a single round does
	}
	if begun.Round == 0 {
		return l, nil
	}
	t, w, err := readAbove(farmed.RoundsPath(r.Directory, begun.Folder, aboveName(begun.Round)), features)
	if err != nil {
		return nil, err
	}
	a.set(slices.Concat(w...))
	l.told = *t
	if err := l.collect(func(group int) (string, error) {
		return farmed.RoundsPath(r.Directory, begun.Folder, farmed.RoundName(begun.Round, group)), nil
	}, begun.Round); err != nil {
		return nil, err
	}
	l.told.End = false // the weights of the groups are those of the round to come
	return l, nil
}

// The gap that is asked of the groups at first; and as a share of that of the whole, and of the goal at
// the end.
const firstAim, shareOfGap, shareOfGoal = 0.1, 0.1, 0.3

// tell tells the groups the weights above.
func (l *lead) tell(round int) error {
	text, err := json.Marshal(l.told)
	if err != nil {
		return err
	}
	if err := l.rounds.Write(aboveName(round), func(w io.Writer) error {
		tensors := make([]safetensors.Tensor, len(l.above.w))
		for k, v := range l.above.w {
			tensors[k] = safetensors.New(fmt.Sprint(k), v, len(v))
		}
		return safetensors.Write(w, map[string]string{"told": string(text)}, tensors)
	}); err != nil {
		return err
	}
	return l.rounds.Remove(aboveName(round - 2))
}

// readAbove reads what tell has written.
func readAbove(path string, features int) (*told, [][]float64, error) {
	file, f, err := openTensors(path)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	t := &told{}
	if err := json.Unmarshal([]byte(f.Metadata["told"]), t); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	w := make([][]float64, len(f.Tensors))
	for k := range w {
		if w[k], err = safetensors.Read[float64](f, fmt.Sprint(k)); err == nil && len(w[k]) != features {
			err = fmt.Errorf("%d features, of %d", len(w[k]), features)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return t, w, nil
}

// gather waits for what the groups tell in a round.
func (l *lead) gather(ctx context.Context, round int) error {
	return l.collect(func(group int) (string, error) { return l.rounds.Await(ctx, farmed.RoundName(round, group)) }, round)
}

// collect reads what the groups tell in a round, and finds what they are told in the next.
func (l *lead) collect(path func(group int) (string, error), round int) error {
	features, n := l.g.tasks.Inputs.Matrix().Cols, len(l.above.w)
	pulled, summed := make([][]float64, n), make([][]float64, n)
	for k := range n {
		pulled[k], summed[k] = make([]float64, features), make([]float64, features)
	}
	var primal, dual, ownPrimal, ownDual, unsure float64
	for group := range l.g.cut.groups {
		at, err := path(group)
		if err != nil {
			return err
		}
		h, err := readHanging(at, false)
		if err != nil {
			return err
		}
		if group == 0 {
			ownPrimal, ownDual = h.primal, h.dual
		}
		primal, dual = primal+h.primal, dual+h.dual
		unsure += h.primal - h.dual
		for i, k := range l.g.cut.hooks(group) {
			if i >= len(h.pulled) || len(h.pulled[i]) != features || len(h.summed[i]) != features {
				return fmt.Errorf("%s: it is of another training", at)
			}
			floats.Add(pulled[k], h.pulled[i])
			floats.Add(summed[k], h.summed[i])
		}
	}
	addedPrimal, addedDual := l.above.values(summed)
	primal, dual = primal+addedPrimal, dual+addedDual
	l.dual = max(l.dual, dual)
	c := structured.Certificate{Primal: primal, Dual: l.dual}
	gap := c.Gap()
	if math.IsNaN(gap) {
		return errors.New("the weights overflow; take a smaller C, or features of a smaller scale")
	}
	if err := tellRound(l.rounds.Directory, solver.Progress{Epoch: round, Primal: primal, Dual: l.dual, Gap: gap}); err != nil {
		return err
	}
	worse := primal > l.primal+unsure
	aim := min(l.told.Aim, shareOfGap*gap)
	if worse {
		aim = l.told.Aim / 2
	}
	l.primal = min(l.primal, primal)
	l.told = told{Aim: max(aim, shareOfGoal*l.goal), Status: solver.Converged, Primal: ownPrimal + addedPrimal, Dual: ownDual + addedDual + l.dual - dual}
	switch {
	case gap <= l.goal:
		l.told.End = true
	case round >= l.most:
		l.told.End, l.told.Status = true, solver.MaxEpochs
	}
	if l.told.End {
		return nil
	}
	return l.above.move(pulled, worse)
}

// write writes what a group tells.
func (h *hanging) write(w io.Writer) error {
	var begin []int64
	var examples []int32
	var values []float64
	c := 0.0
	for _, part := range h.last {
		begin, examples, values = append(begin, int64(len(examples))), append(examples, part.Coefficients.Examples...), append(values, part.Coefficients.Values...)
		c = part.Coefficients.C
	}
	tensors := []safetensors.Tensor{
		safetensors.New("values", []float64{h.primal, h.dual, c}, 3), safetensors.New("begin", begin, len(begin)),
		safetensors.New("examples", examples, len(examples)), safetensors.New("coefficients", values, len(values)),
	}
	for k := range h.pulled {
		tensors = append(tensors, safetensors.New(fmt.Sprint("pulled ", k), h.pulled[k], len(h.pulled[k])), safetensors.New(fmt.Sprint("summed ", k), h.summed[k], len(h.summed[k])))
	}
	return safetensors.Write(w, nil, tensors)
}

// readHanging reads what a group tells, with its coefficients or without.
func readHanging(path string, coefficients bool) (*hanging, error) {
	file, f, err := openTensors(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	t, h := &tensors{file: f}, &hanging{}
	values := tensor[float64](t, "values")
	for k := 0; f.Tensors[fmt.Sprint("pulled ", k)].Type != ""; k++ {
		h.pulled, h.summed = append(h.pulled, tensor[float64](t, fmt.Sprint("pulled ", k))), append(h.summed, tensor[float64](t, fmt.Sprint("summed ", k)))
	}
	if t.err != nil {
		return nil, fmt.Errorf("%s: %w", path, t.err)
	}
	h.primal, h.dual = values[0], values[1]
	if !coefficients {
		return h, nil
	}
	begin, examples, alpha := ints(tensor[int64](t, "begin")), tensor[int32](t, "examples"), tensor[float64](t, "coefficients")
	if t.err != nil {
		return nil, fmt.Errorf("%s: %w", path, t.err)
	}
	begin = append(begin, len(examples))
	for y := range len(begin) - 1 {
		h.last = append(h.last, &solver.Result{Coefficients: &solver.Coefficients{C: values[2], Examples: examples[begin[y]:begin[y+1]], Values: alpha[begin[y]:begin[y+1]]}})
	}
	return h, nil
}

// groupsTensor has the number of groups, in a file that stands for the results of all.
const groupsTensor = "groups"

// together solves the part of the share in rounds with the others. Group 0 writes a file that has all,
// by the name of the folder in which theirs are, once they are there.
func (s *share) together(ctx context.Context, p *parts, kept *solutions) error {
	r, err := s.part.Rounds()
	if err != nil {
		return err
	}
	err = s.goTogether(ctx, p, kept, r)
	if err != nil && r.Replaced() {
		return nil // nobody waits for this process
	}
	return err
}

func (s *share) goTogether(ctx context.Context, p *parts, kept *solutions, r *farmed.Rounds) error {
	k := s.pieces[0]
	end, err := p.parts[k].together(ctx, p, r, p.settings)
	if err != nil || end == nil {
		return err
	}
	kept.file = func(write func(io.Writer) error) error { return r.Write(resultName(k), write) }
	if err := kept.add(k, end, p.weights.records[k]); err != nil {
		return err
	}
	if err := kept.write(); err != nil || k > 0 {
		return err
	}
	for group := range p.parts {
		if _, err := r.Await(ctx, resultName(group)); err != nil {
			return err
		}
	}
	if err := r.Forget(); err != nil {
		return err
	}
	return s.part.Write(func(w io.Writer) error {
		return safetensors.Write(w, map[string]string{"folder": r.Folder()}, []safetensors.Tensor{safetensors.New(groupsTensor, []int64{int64(len(p.parts))}, 1)})
	})
}

// takeTogether takes all problems by the file that group 0 has written.
func (p *parts) takeTogether(path string) ([]int, error) {
	file, f, err := openTensors(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	directory := filepath.Dir(filepath.Dir(filepath.Dir(path)))
	var all []int
	for k := range p.parts {
		of, err := p.take(farmed.RoundsPath(directory, f.Metadata["folder"], resultName(k)))
		if err != nil {
			return nil, err
		}
		all = append(all, of...)
	}
	return all, nil
}

// tellRounds tells how the rounds stand.
func (p *parts) tellRounds(directory string, report func(done float64, state string) error, state farm.State) error {
	text, err := os.ReadFile(roundFile(directory))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	var at solver.Progress
	if len(text) > 0 {
		err = json.Unmarshal(text, &at)
	}
	if err != nil {
		return err
	}
	if at.Epoch > p.round {
		p.round = at.Epoch
		clear(p.primal)
		clear(p.dual)
		p.primal[0], p.dual[0] = at.Primal, at.Dual
		if err := p.tell(); err != nil {
			return err
		}
	}
	if report == nil {
		return nil
	}
	told := fmt.Sprintf("%d groups of subtrees", len(p.parts))
	if state.Waiting > 0 {
		told += " wait for room for all"
	}
	if at.Epoch > 0 {
		told += fmt.Sprintf(", round %d, gap %.2g", at.Epoch, at.Gap)
	}
	return report(math.NaN(), told)
}

// roundFile is the file in which group 0 says how it stands, for who waits for the training.
func roundFile(directory string) string { return farmed.RoundsPath(directory, "", "round.json") }

func tellRound(directory string, p solver.Progress) error {
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return replace.Content(roundFile(directory), text)
}
