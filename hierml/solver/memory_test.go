package solver

import (
	"context"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/internal/memory"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/hierml/structured"
)

// A training whose weights have no room is refused before it begins, and one that takes much says
// so.
func TestMemory(t *testing.T) {
	has := int64(1e6)
	before := memory.Machine
	memory.Machine = func() int64 { return has }
	t.Cleanup(func() { memory.Machine = before })
	tree := example.Tree(300)
	p := problem(example.Texts(tree, 400, 300, 15, 1), structured.Flat(tree), loss.ZeroOne(), 1) // 304 columns of 300 features
	if _, err := Solve(context.Background(), p, nil, nil); err != nil {
		t.Errorf("364,800 bytes of a million: %v", err)
	}
	has = 300e3
	for _, c := range []struct {
		gap  float64
		want string
	}{
		{1e-3, "the weights of 300 nodes take at least 0.000365 GB, and the machine has 0.0003 GB; choose features"},
		{1e-6, "take at least 0.00073 GB, and the machine has 0.0003 GB; set a Gap of 1e-05 or more"},
	} {
		if r, err := Solve(context.Background(), p, &Settings{Gap: c.gap}, nil); r != nil || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("gap %v: %v, want %q", c.gap, err, c.want)
		}
	}
	has = 0 // not known
	if _, err := Solve(context.Background(), p, &Settings{MaxEpochs: 1}, nil); err != nil {
		t.Error(err)
	}

	has = 24e9
	tree = example.Tree(60, 1000)
	large := problem(example.Texts(tree, 200, 11000, 60, 1), structured.Flat(tree), loss.ZeroOne(), 1)
	o, err := large.Compile()
	if err != nil {
		t.Fatal(err)
	}
	least, about := o.Memory(structured.Half)
	if wide, _ := o.Memory(structured.Double); wide != 8*60e3*11000 || least*50 > wide || about <= least || about > wide {
		t.Errorf("from %d, about %d bytes, %d in float64", least, about, wide)
	}
	w := &example.Watcher{}
	if err := (&Settings{Gap: 1e-6}).fits(progress.With(context.Background(), w), o, structured.Double, 1); err != nil || len(w.Notes) != 1 || w.Notes[0] != "The weights of 60000 nodes will take about 5.28 GB of memory; the machine has 24 GB." {
		t.Errorf("%v, %q", err, w.Notes)
	}
}
