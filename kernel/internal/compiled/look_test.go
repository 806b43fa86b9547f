package compiled

import (
	"fmt"
	"testing"
	"time"

	"github.com/hierml/notebook/kernel/internal/compiled/cell"
	"github.com/hierml/notebook/kernel/internal/program"
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
		look program.Look
		want string
	}{
		{program.Look{Variable: "n", Aspect: program.LookValue}, "7"},
		{program.Look{Variable: "moved", Aspect: program.LookBrief}, "8"},
		{program.Look{Variable: "word", Aspect: program.LookValue, Most: 2}, "wo"},
		{program.Look{Variable: "word", Aspect: program.LookBrief}, `"word"`},
		{program.Look{Variable: "list", Aspect: program.LookValue, Most: 2}, "[1 2]"},
		{program.Look{Variable: "list", Aspect: program.LookLength}, "3"},
		{program.Look{Variable: "counts", Aspect: program.LookLength}, "1"},
		{program.Look{Variable: "loud", Aspect: program.LookBrief, Plain: true}, "3"},
		{program.Look{Variable: "pair", Field: "x", Aspect: program.LookBrief}, "1"},
		{program.Look{Variable: "pair", Field: "wait", Aspect: program.LookBrief}, "1s"},
		{program.Look{Variable: "pair", Field: "self", Aspect: program.LookBrief, Plain: true}, "2"},
		{program.Look{Variable: "err", Aspect: program.LookNil}, "true"},
	} {
		tt.look.Unit = unit
		got, err := r.Look(t.Context(), 1, []program.Look{tt.look})
		if err != nil {
			t.Errorf("%+v: %v", tt.look, err)
			continue
		}
		if len(got) != 1 || got[0] != tt.want {
			t.Errorf("%+v: %q, want %q", tt.look, got, tt.want)
		}
	}
	for _, l := range []program.Look{
		{Unit: "cell/no", Variable: "n"}, {Unit: unit, Variable: "no"}, {Unit: unit, Variable: "n", Aspect: program.LookLength},
		{Unit: unit, Variable: "pair", Field: "no"}, {Unit: unit, Variable: "list", Plain: true},
		{Unit: unit, Variable: "loud", Aspect: program.LookBrief + "er"},
	} {
		if _, err := r.Look(t.Context(), 1, []program.Look{l}); err == nil {
			t.Errorf("%+v: no error", l)
		}
	}
}
