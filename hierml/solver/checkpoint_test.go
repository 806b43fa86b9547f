package solver

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/hierml/structured"
)

// kept is a problem to train on with a checkpoint.
func kept(c float64, seed uint64) *structured.Problem {
	tree := example.Tree(3, 4)
	return problem(example.Texts(tree, 200, 150, 20, seed), structured.Ancestors(tree), loss.Symdiff(tree), c)
}

var errKilled = errors.New("killed")

// A training that was stopped goes on from its checkpoint, and one that has ended is not done
// again.
func TestTrainingGoesOnFromItsCheckpoint(t *testing.T) {
	for name, m := range map[string]Method{"BCFW": BCFW{}, "dual ascent": DualAscent{}} {
		path := filepath.Join(t.TempDir(), "checkpoint")
		stopped := Settings{Gap: 1e-5, Checkpoint: path, Progress: func(p Progress) error {
			if p.Epoch == 2 {
				return errKilled
			}
			return nil
		}}
		first, err := Solve(context.Background(), kept(1, 1), &stopped, m)
		if !errors.Is(err, errKilled) || first.Gap < 1e-4 {
			t.Fatalf("%s: %v, %v; want a training that was stopped", name, first, err)
		}
		whole, err := Solve(context.Background(), kept(1, 1), &Settings{Gap: 1e-5}, m)
		if err != nil {
			t.Fatal(err)
		}
		rest, err := Solve(context.Background(), kept(1, 1), &Settings{Gap: 1e-5, Checkpoint: path}, m)
		if err != nil || rest.Status != Converged {
			t.Fatalf("%s: %v, %v", name, rest, err)
		}
		if rest.Epochs >= whole.Epochs {
			t.Errorf("%s: %d epochs from the checkpoint, %d from the beginning", name, rest.Epochs, whole.Epochs)
		}
		if rest.Dual > whole.Primal || rest.Primal < whole.Dual {
			t.Errorf("%s: %v; want what %v is", name, rest, whole)
		}
		again, err := Solve(context.Background(), kept(1, 1), &Settings{Gap: 2e-5, Checkpoint: path}, m)
		if err != nil || again.Epochs != 0 || again.Status != Converged {
			t.Errorf("%s: %v, %v; want no epoch after the end", name, again, err)
		}
	}
}

// A training that goes on returns no worse weights than the one that was interrupted, whose best
// ones may be from before its last epoch, on features of very different sizes.
func TestTrainingGoesOnFromItsBestWeights(t *testing.T) {
	worse := 0
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, seed))
		g := example.Tree(3)
		d := example.Dense(g, 30, 5, seed)
		for k := range d.X.Values {
			d.X.Values[k] *= float32(math.Pow(10, float64(2*(k%5))))
		}
		for name, m := range map[string]Method{"BCFW": BCFW{}, "dual ascent": DualAscent{}} {
			path := filepath.Join(t.TempDir(), "checkpoint")
			p := problem(d, structured.Flat(g), loss.ZeroOne(), 1)
			before := math.Inf(1)
			for range 4 {
				got, err := Solve(t.Context(), p, &Settings{Checkpoint: path, MaxEpochs: 1 + r.IntN(3), Workers: 1}, m)
				if err != nil {
					t.Fatal(err)
				}
				if got.Primal > before {
					t.Errorf("%s, seed %d: value %v after %v", name, seed, got.Primal, before)
				}
				before = got.Primal
				o, err := p.Compile()
				if err != nil {
					t.Fatal(err)
				}
				s := newState(t.Context(), o, Settings{Gap: 1e-3})
				at, err := o.Certify(t.Context(), got.Point, s.weights, s.gaps, 1)
				if err != nil || math.Abs(at.Primal-got.Primal) > 1e-6*got.Primal {
					t.Errorf("%s, seed %d: the point has the value %v, not %v; %v", name, seed, at.Primal, got.Primal, err)
				}
				c, _, err := newCheckpoint(t.Context(), path, o)
				if err != nil {
					t.Fatal(err)
				}
				if c.best != nil {
					worse++
				}
			}
		}
	}
	if worse < 20 {
		t.Errorf("%d files have a best point beside the last", worse)
	}
}

// endsAfter is a context that ends after its error has been asked for so often.
type endsAfter struct {
	context.Context
	left *atomic.Int64
}

func (c endsAfter) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// A training that is interrupted while it takes up its checkpoint, wherever that is, returns no
// worse weights than the one before, if any, and leaves a file that goes on as before.
func TestInterruptedWhileTakingUp(t *testing.T) {
	g := example.Tree(3)
	d := example.Dense(g, 30, 5, 3)
	for k := range d.X.Values {
		d.X.Values[k] *= float32(math.Pow(10, float64(2*(k%5))))
	}
	p := problem(d, structured.Flat(g), loss.ZeroOne(), 1)
	path := filepath.Join(t.TempDir(), "checkpoint")
	var first *Result
	var file []byte
	for epochs := 1; ; epochs++ { // until the best point is not the last
		if epochs == 30 {
			t.Fatal("the last point is always the best")
		}
		os.Remove(path)
		var err error
		if first, err = Solve(t.Context(), p, &Settings{Checkpoint: path, MaxEpochs: epochs, Workers: 1}, BCFW{}); err != nil {
			t.Fatal(err)
		}
		o, err := p.Compile()
		if err != nil {
			t.Fatal(err)
		}
		if c, _, err := newCheckpoint(t.Context(), path, o); err != nil {
			t.Fatal(err)
		} else if c.best != nil {
			break
		}
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	early := 0
	for asked := range int64(60) {
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		left := new(atomic.Int64)
		left.Store(asked)
		got, err := Solve(endsAfter{t.Context(), left}, p, &Settings{Checkpoint: path, MaxEpochs: 1, Workers: 1}, BCFW{})
		if got == nil {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("after %d: %v", asked, err)
			}
			continue
		}
		if got.Primal > first.Primal {
			t.Errorf("after %d: value %v after %v", asked, got.Primal, first.Primal)
		}
		if err != nil && got.Epochs == 0 {
			early++
		}
		next, err := Solve(t.Context(), p, &Settings{Checkpoint: path, MaxEpochs: 1, Workers: 1}, BCFW{})
		if err != nil || next.Primal > got.Primal {
			t.Errorf("after %d, and then: %v, %v after %v", asked, err, next, got.Primal)
		}
	}
	if early == 0 {
		t.Error("no interrupt came while the points were certified")
	}
}

// It is told where a training goes on that was stopped, and that one goes on from there. Of one
// that has ended nothing is told.
func TestNotesOfCheckpoints(t *testing.T) {
	path := filepath.Join(t.TempDir(), "checkpoint")
	for _, c := range []struct {
		epochs int
		want   []string
	}{
		{2, []string{"The state of the training is in " + path + ". Run it again to continue from there."}},
		{1000, []string{"The training continues with what " + path + " has saved after epoch 2; the next epoch is counted as 1."}},
	} {
		w := &example.Watcher{}
		_, err := Solve(progress.With(t.Context(), w), kept(1, 1), &Settings{Checkpoint: path, Progress: func(p Progress) error {
			if p.Epoch == c.epochs {
				return errKilled
			}
			return nil
		}}, nil)
		if err != nil && !errors.Is(err, errKilled) || !slices.Equal(w.Notes, c.want) {
			t.Errorf("at most %d epochs: %v, %q, want %q", c.epochs, err, w.Notes, c.want)
		}
	}
}

// Of a training that was stopped and whose checkpoint cannot be written both is told.
func TestCheckpointOfStoppedTrainingCannotBeWritten(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "folder")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	w := &example.Watcher{}
	r, err := Solve(progress.With(t.Context(), w), kept(1, 1), &Settings{Checkpoint: filepath.Join(folder, "checkpoint"), Progress: func(Progress) error {
		return errors.Join(os.RemoveAll(folder), errKilled)
	}}, nil)
	if r == nil || !errors.Is(err, errKilled) || !errors.Is(err, fs.ErrNotExist) || len(w.Notes) != 0 {
		t.Errorf("%v, %v, notes %q", r, err, w.Notes)
	}
}

// The file is written within an epoch, too, when the last is old.
func TestCheckpointWithinAnEpoch(t *testing.T) {
	for name, start := range map[string]func(s *state) iteration{
		"BCFW":        func(s *state) iteration { return newBlocks(s) },
		"dual ascent": func(s *state) iteration { return newAscent(s) },
	} {
		o, err := kept(1, 1).Compile()
		if err != nil {
			t.Fatal(err)
		}
		s := newState(context.Background(), o, Settings{Gap: 1e-3})
		if s.checkpoint, _, err = newCheckpoint(context.Background(), filepath.Join(t.TempDir(), "checkpoint"), o); err != nil {
			t.Fatal(err)
		}
		training := &training{state: s, method: start(s)}
		if err := work(context.Background(), training.method, training.between); err != nil {
			t.Fatal(err)
		}
		if _, d, err := newCheckpoint(context.Background(), s.checkpoint.path, o); err != nil || coefficients(d) != 0 {
			t.Errorf("%s: %v, %v; want a file that is not written before it is due", name, d, err)
		}
		s.checkpoint.saved = time.Time{}
		training.method = start(s)
		if err := work(context.Background(), training.method, training.between); err != nil {
			t.Fatal(err)
		}
		if _, d, err := newCheckpoint(context.Background(), s.checkpoint.path, o); err != nil || coefficients(d) == 0 {
			t.Errorf("%s: %v, %v; want what the epoch has come to", name, d, err)
		}
	}
}

func coefficients(d *structured.Dual) (n int) {
	for b := range d.Blocks() {
		ids, _ := d.Row(b)
		n += len(ids)
	}
	return n
}

func TestCheckpointRefuses(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "checkpoint")
	solve := func(p *structured.Problem, path string) error {
		_, err := Solve(context.Background(), p, &Settings{Checkpoint: path}, nil)
		return err
	}
	if err := solve(kept(1, 1), path); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(folder, "other")
	if err := os.WriteFile(other, []byte("my notes, which are of no training"), 0o600); err != nil {
		t.Fatal(err)
	}
	tree := example.Tree(3, 4)
	labels := make([][]int, 200)
	for i := range labels {
		labels[i] = tree.Leaves()[i%12 : i%12+1]
	}
	sets, err := structured.NewSets(structured.Ancestors(tree), labels, loss.LeafSymdiff(tree), 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := kept(1, 1)
	found.Competitors, found.Columns = sets, structured.Ancestors(tree).Columns()
	for _, c := range []struct {
		name, path, want string
		problem          *structured.Problem
	}{
		{"another C", path, "belongs to another training", kept(2, 1)},
		{"other instances", path, "belongs to another training", kept(1, 2)},
		{"another file", other, "safetensors", kept(1, 1)},
		{"a folder that is not there", filepath.Join(folder, "none", "checkpoint"), "no such file", kept(1, 1)},
		{"a folder", folder, folder, kept(1, 1)},
		{"sets that searches find", path, "leave it empty", found},
	} {
		if err := solve(c.problem, c.path); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if text, err := os.ReadFile(other); err != nil || !strings.HasPrefix(string(text), "my notes") {
		t.Errorf("the other file is %q, %v", text, err)
	}
}

// A damaged file is refused, by an error that names it.
func TestDamagedCheckpoint(t *testing.T) {
	path := filepath.Join(t.TempDir(), "checkpoint")
	set := &Settings{Gap: 1e-2, Checkpoint: path}
	if _, err := Solve(context.Background(), kept(1, 1), set, nil); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	damages := [][]byte{nil, whole[:len(whole)/2], append(bytes.Clone(whole), 1)}
	for at := 0; at < len(whole); at += 1 + len(whole)/300 {
		damaged := bytes.Clone(whole)
		damaged[at] ^= 0x40
		damages = append(damages, damaged)
	}
	for k, damaged := range damages {
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Solve(context.Background(), kept(1, 1), set, nil); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("damage %d: %v, want an error that names the file", k, err)
		}
	}
}

// Methods that count from zero weights refuse a result and a checkpoint, and write no file.
func TestMethodsFromZero(t *testing.T) {
	first, err := Solve(context.Background(), kept(1, 1), &Settings{Gap: 0.1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "checkpoint")
	for _, m := range []Method{Pegasos{}, RDA{}} {
		for _, s := range []Settings{{Checkpoint: path}, {Start: first}} {
			if _, err := Solve(context.Background(), kept(1, 1), &s, m); err == nil || !strings.Contains(err.Error(), "leave Start nil and Checkpoint empty") {
				t.Errorf("%T, checkpoint %q: %v", m, s.Checkpoint, err)
			}
		}
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a file is left")
	}
}
