package files

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// nilReader reads labels of a format with any taxonomy, and streams them.
type nilReader struct {
	name   string
	line   func(labels []string) string
	labels func(ctx context.Context, text string, t *taxonomy.Taxonomy, separator string) (*taxonomy.Taxonomy, [][]int, error)
	stream func(ctx context.Context, text string) error
}

func datasetLabels(d *dataset.Dataset, err error) (*taxonomy.Taxonomy, [][]int, error) {
	if err != nil {
		return nil, nil, err
	}
	return d.Taxonomy, d.Labels, nil
}

func firstError[T any](all func(yield func(T, error) bool)) error {
	for _, err := range all {
		if err != nil {
			return err
		}
	}
	return nil
}

var nilReaders = []nilReader{
	{
		name: "SVMLight",
		line: func(labels []string) string { return strings.Join(labels, ",") + " 1:1" },
		labels: func(ctx context.Context, text string, t *taxonomy.Taxonomy, separator string) (*taxonomy.Taxonomy, [][]int, error) {
			return datasetLabels(SVMLight{PathSeparator: separator}.Read(ctx, strings.NewReader(text), "f", t))
		},
		stream: func(ctx context.Context, text string) error {
			return firstError(SVMLight{}.Instances(ctx, strings.NewReader(text), "f", nil))
		},
	},
	{
		name: "LSHTC",
		line: func(labels []string) string { return strings.Join(labels, ", ") + " 1:1" },
		labels: func(ctx context.Context, text string, t *taxonomy.Taxonomy, separator string) (*taxonomy.Taxonomy, [][]int, error) {
			return datasetLabels(LSHTC{PathSeparator: separator}.Read(ctx, strings.NewReader(text), "f", t))
		},
		stream: func(ctx context.Context, text string) error {
			return firstError(LSHTC{}.Instances(ctx, strings.NewReader(text), "f", nil))
		},
	},
	{
		name: "JSONLines",
		line: func(labels []string) string {
			list, _ := json.Marshal(labels) // strings always can
			return fmt.Sprintf(`{"labels": %s, "text": "x"}`, list)
		},
		labels: func(ctx context.Context, text string, t *taxonomy.Taxonomy, separator string) (*taxonomy.Taxonomy, [][]int, error) {
			c, err := JSONLines{PathSeparator: separator}.Read(ctx, strings.NewReader(text), "f", t)
			if err != nil {
				return nil, nil, err
			}
			var labels [][]int
			for _, d := range c.Documents {
				labels = append(labels, d.Labels)
			}
			return c.Taxonomy, labels, nil
		},
		stream: func(ctx context.Context, text string) error {
			return firstError(JSONLines{}.Documents(ctx, strings.NewReader(text), "f", nil))
		},
	},
}

// TestNoTaxonomy reads generated labels without a taxonomy: every node is a label or a part of one,
// and below the path above it. Reading the file again with that taxonomy gives the same labels, and
// a separator that no label has makes it flat.
func TestNoTaxonomy(t *testing.T) {
	for _, format := range nilReaders {
		t.Run(format.name, func(t *testing.T) {
			for seed := range uint64(200) {
				r := rand.New(rand.NewPCG(seed, 7))
				separator := []string{"/", ".."}[r.IntN(2)]
				given := make(map[string]bool)
				var lines []string
				for range 1 + r.IntN(12) {
					var labels []string
					for range 1 + r.IntN(3) {
						label := string(rune('a' + r.IntN(3)))
						for range r.IntN(3) {
							label += separator + string(rune('a'+r.IntN(3)))
						}
						if !slices.Contains(labels, label) {
							labels = append(labels, label)
						}
					}
					for _, label := range labels {
						given[label] = true
					}
					lines = append(lines, format.line(labels))
				}
				text := strings.Join(lines, "\n") + "\n"
				var w example.Watcher
				ctx := progress.With(t.Context(), &w)
				tax, labels, err := format.labels(ctx, text, nil, map[string]string{"/": "", "..": ".."}[separator])
				if err != nil {
					t.Fatalf("%v\n%s", err, text)
				}
				want, divided := make(map[string]bool), false
				for label := range given {
					for at := range label + separator {
						if strings.HasPrefix((label + separator)[at:], separator) {
							want[label[:at]] = true
						}
					}
					divided = divided || strings.Contains(label, separator)
				}
				for n, name := range tax.Names() {
					parent := ""
					if p := tax.Parents(n); len(p) > 0 {
						parent = tax.Name(p[0])
					}
					if cut := max(strings.LastIndex(name, separator), 0); !want[name] || parent != name[:cut] {
						t.Errorf("node %s below %q of\n%s", name, parent, text)
					}
				}
				if tax.Len() != len(want) {
					t.Errorf("%v of\n%s", tax.Names(), text)
				}
				if noted := len(w.Notes) == 1; noted != divided || noted && !strings.Contains(w.Notes[0], format.name+"{PathSeparator") {
					t.Errorf("notes %q of\n%s", w.Notes, text)
				}
				_, again, err := format.labels(t.Context(), text, tax, "")
				if err != nil || fmt.Sprint(again) != fmt.Sprint(labels) {
					t.Errorf("%v, then %v, %v of\n%s", labels, again, err, text)
				}
				flat, _, err := format.labels(t.Context(), text, nil, "|")
				if err != nil || flat.Len() != len(given) || len(flat.Leaves()) != len(given) {
					t.Errorf("flat: %v, %v of\n%s", flat.Names(), err, text)
				}
			}
		})
	}
}

// TestPathsWithBlanks reads labels with blanks around the parts of their paths: they are one node.
func TestPathsWithBlanks(t *testing.T) {
	const text = `{"labels": ["a / b", "a/c"], "text": "x"}` + "\n" + `{"labels": [" a/b "], "text": "x"}` + "\n"
	c, err := JSONLines{}.Read(t.Context(), strings.NewReader(text), "f", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintf("%q", c.Taxonomy.Names()); got != `["a" "a/b" "a/c"]` {
		t.Error(got)
	}
	again, err := JSONLines{}.Read(t.Context(), strings.NewReader(text), "f", c.Taxonomy)
	if err != nil || documentsOf(again) != documentsOf(c) {
		t.Errorf("%v, %v", again, err)
	}
	// A node that is called so is that node.
	exact, err := taxonomy.New([]string{"a / b", "a/c", " a/b "}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if again, err = (JSONLines{}).Read(t.Context(), strings.NewReader(text), "f", exact); err != nil || documentsOf(again) != "1||a / b, a/c|\"x\"\n2|| a/b |\"x\"\n" {
		t.Errorf("%v, %v", again, err)
	}
}

// TestNoTaxonomyErrors reads what no taxonomy can be made of.
func TestNoTaxonomyErrors(t *testing.T) {
	for _, format := range nilReaders {
		t.Run(format.name, func(t *testing.T) {
			line := format.line([]string{"a"})
			if err := format.stream(t.Context(), line+"\n"); err == nil || !strings.Contains(err.Error(), "taxonomy.New(labels, nil)") {
				t.Errorf("one by one: %v", err)
			}
			_, _, err := format.labels(t.Context(), format.line([]string{"a//b"})+"\n", nil, "")
			if err == nil || !strings.Contains(err.Error(), format.name+"{PathSeparator: …}") {
				t.Errorf("an empty part: %v", err)
			}
			_, _, err = format.labels(t.Context(), map[string]string{"SVMLight": " 1:1\n", "LSHTC": "0 1:1\n", "JSONLines": `{"labels": [], "text": ""}` + "\n"}[format.name], nil, "")
			if err == nil || !strings.Contains(err.Error(), "give the taxonomy of the training data") {
				t.Errorf("no labels at all: %v", err)
			}
		})
	}
	if _, err := (LSHTC{}).Read(t.Context(), io.MultiReader(strings.NewReader("Data\n0 1:1\n2 1:1\n")), "f", nil); err != nil {
		t.Errorf("a title: %v", err)
	}
}
