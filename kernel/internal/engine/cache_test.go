package engine_test

import (
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/program"
)

// TestCache keeps values for later kernels, by both back ends, also from one to the other.
func TestCache(t *testing.T) {
	folder, values := t.TempDir(), t.TempDir()
	declared := []string{
		"%env XDG_CACHE_HOME=" + values,
		"%cd " + folder,
		"type Row struct {\n\tName string\n\tScores []float64\n\tNext *Row\n}\ntype Table map[string]Row",
		"calls := 0",
	}
	kept := []struct{ source, want string }{
		{"rows := cache.Cache(\"rows\", func() (Table, error) {\n\tcalls++\n\treturn Table{\"a\": {Name: \"x\", Scores: []float64{math.NaN(), 2}, Next: &Row{Name: \"y\"}}}, nil\n})\nfmt.Print(len(rows), rows[\"a\"].Name, rows[\"a\"].Scores, rows[\"a\"].Next.Name, rows[\"a\"].Next.Next == nil)", "1x[NaN 2]ytrue"},
		{"n, err := cache.Cache(\"n\", func() (int, error) { calls++; return 5, nil })\nfmt.Print(n, err)", "5 <nil>"},
		{"text, err := cache.Cache(\"fails\", func() (string, error) { return \"a\", errors.New(\"no\") })\nfmt.Print(text, err)", "ano"},
		{"d := synthetic.Hyperplanes{Count: 3, Features: 5, Instances: 50}.Generate(nb.Context())\nm := cache.Cache(\"m\", func() (*classifier.Model, error) {\n\tcalls++\n\treturn svm.Flat{}.Fit(nb.Context(), d)\n})\nfmt.Print(m.Features())", "5"},
		{"var limit int\nfmt.Print(cache.Keep(\"k\", &limit, func() error { calls++; limit = 9; return nil }), limit)", "<nil> 9"},
	}
	calls := "4"
	for _, mode := range []program.Mode{program.InterpretedMode, program.CompiledMode, program.InterpretedMode} {
		n := newWorkerNotebook(t, mode)
		for _, source := range declared {
			n.runOn(t, source)
		}
		for _, c := range kept {
			if _, out, err := n.run(c.source); err != nil || out != c.want {
				t.Errorf("%s: %s\nshows %q, %v; want %q", mode, c.source, out, err, c.want)
			}
		}
		if _, out, err := n.run("fmt.Print(calls)"); err != nil || out != calls {
			t.Errorf("%s: %s calls, %v; want %s", mode, out, err, calls)
		}
		if _, out, err := n.run("cache.Reset(\"n\")\nn := cache.Cache(\"n\", func() (int, error) { return 6, nil })\nfmt.Print(n)\ncache.Reset(\"n\")\nn = cache.Cache(\"n\", func() (int, error) { return 5, nil })"); err != nil || out != "6" {
			t.Errorf("%s: %q, %v", mode, out, err)
		}
		_, _, err := n.run("type hidden struct{ name string }\nh := cache.Cache(\"h\", func() (hidden, error) { return hidden{}, nil })")
		if err == nil || !strings.Contains(err.Error(), "cannot be stored. Begin its name with a capital letter") {
			t.Errorf("%s: %v", mode, err)
		}
		calls = "0"
	}
}
