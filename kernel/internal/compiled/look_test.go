package compiled

import (
	"fmt"
	"testing"
	"time"

	"github.com/hierml/notebook/kernel/internal/compiled/cell"
	"github.com/hierml/notebook/kernel/internal/engine"
)

type loudInt int

func (loudInt) String() string { panic("it is not asked") }

func TestLook(t *testing.T) {
	r := New(Config{})
	n, moved := 7, 8
	pointer := &moved
	word, list, counts := "word", []int{1, 2, 3}, map[string]int{"a": 1}
	loud := loudInt(3)
	pair := struct {
		x    int
		wait time.Duration
		self loudInt
	}{1, time.Second, 2}
	var err error
	unit := fmt.Sprintf("cell/look-%d", units.Add(1))
	cell.Register(unit, cell.Code{
		Variables: map[string]any{"n": &n, "word": &word, "list": &list, "counts": &counts, "loud": &loud, "pair": &pair, "err": &err},
		Moved:     map[string]any{"moved": &pointer},
	})
	for _, tt := range []struct {
		look engine.Look
		want string
	}{
		{engine.Look{Variable: "n", Aspect: engine.LookValue}, "7"},
		{engine.Look{Variable: "moved", Aspect: engine.LookBrief}, "8"},
		{engine.Look{Variable: "word", Aspect: engine.LookValue, Most: 2}, "wo"},
		{engine.Look{Variable: "word", Aspect: engine.LookBrief}, `"word"`},
		{engine.Look{Variable: "list", Aspect: engine.LookValue, Most: 2}, "[1 2]"},
		{engine.Look{Variable: "list", Aspect: engine.LookLength}, "3"},
		{engine.Look{Variable: "counts", Aspect: engine.LookLength}, "1"},
		{engine.Look{Variable: "loud", Aspect: engine.LookBrief, Plain: true}, "3"},
		{engine.Look{Variable: "pair", Field: "x", Aspect: engine.LookBrief}, "1"},
		{engine.Look{Variable: "pair", Field: "wait", Aspect: engine.LookBrief}, "1s"},
		{engine.Look{Variable: "pair", Field: "self", Aspect: engine.LookBrief, Plain: true}, "2"},
		{engine.Look{Variable: "err", Aspect: engine.LookNil}, "true"},
	} {
		tt.look.Unit = unit
		b, err := r.Run(t.Context(), &engine.Program{Cell: 1, Compiled: &engine.Compiled{Looks: []engine.Look{tt.look}}})
		if err != nil {
			t.Errorf("%+v: %v", tt.look, err)
			continue
		}
		if got := b.Data[engine.Seen].([]string); len(got) != 1 || got[0] != tt.want {
			t.Errorf("%+v: %q, want %q", tt.look, got, tt.want)
		}
	}
	for _, l := range []engine.Look{
		{Unit: "cell/no", Variable: "n"}, {Unit: unit, Variable: "no"}, {Unit: unit, Variable: "n", Aspect: engine.LookLength},
		{Unit: unit, Variable: "pair", Field: "no"}, {Unit: unit, Variable: "list", Plain: true},
		{Unit: unit, Variable: "loud", Aspect: engine.LookBrief + "er"},
	} {
		if _, err := r.Run(t.Context(), &engine.Program{Cell: 1, Compiled: &engine.Compiled{Looks: []engine.Look{l}}}); err == nil {
			t.Errorf("%+v: no error", l)
		}
	}
}
