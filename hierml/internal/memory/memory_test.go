package memory

import (
	"slices"
	"testing"

	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/progress"
)

func TestCheck(t *testing.T) {
	before := Machine
	t.Cleanup(func() { Machine = before })
	for _, c := range []struct {
		has       int64
		need      Need
		err, note string
	}{
		{4e9, Need{What: "the weights", Least: 1e9, About: 1.9e9}, "", ""},
		{4e9, Need{What: "the weights", Least: 1e9, About: 5e9}, "", "The weights will take about 5 GB of memory; the machine has 4 GB."},
		{0, Need{What: "the weights", Least: 9e9, About: 9e9}, "", "The weights will take about 9 GB of memory."},
		{4e9, Need{What: "the weights", Least: 5e9, About: 5e9, Advice: "take fewer"}, "the weights take at least 5 GB, and the machine has 4 GB; take fewer", ""},
		{4e9, Need{What: "the weights", Least: 1e9, About: 1e9, Held: 3.5e9, Advice: "take fewer"}, "the weights take at least 1 GB in addition to the 3.5 GB of their data, and the machine has 4 GB; take fewer", ""},
	} {
		Machine = func() int64 { return c.has }
		var w example.Watcher
		err := Check(progress.With(t.Context(), &w), c.need)
		if got := ""; err != nil && err.Error() != c.err || err == nil && got != c.err {
			t.Errorf("%+v: %v, want %q", c.need, err, c.err)
		}
		if want := slices.DeleteFunc([]string{c.note}, func(s string) bool { return s == "" }); !slices.Equal(w.Notes, want) {
			t.Errorf("%+v: notes %q, want %q", c.need, w.Notes, want)
		}
	}
}
