package files

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

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
// "none" makes it flat. What is set is not told.
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
				tax, labels, err := format.labels(ctx, text, nil, separator)
				if err != nil {
					t.Fatalf("%v\n%s", err, text)
				}
				want := make(map[string]bool)
				for label := range given {
					for at := range label + separator {
						if strings.HasPrefix((label + separator)[at:], separator) {
							want[label[:at]] = true
						}
					}
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
				_, again, err := format.labels(t.Context(), text, tax, "")
				if err != nil || fmt.Sprint(again) != fmt.Sprint(labels) {
					t.Errorf("%v, then %v, %v of\n%s", labels, again, err, text)
				}
				flat, _, err := format.labels(ctx, text, nil, "none")
				if err != nil || flat.Len() != len(given) || len(flat.Leaves()) != len(given) {
					t.Errorf("flat: %v, %v of\n%s", flat.Names(), err, text)
				}
				if len(w.Notes) > 0 {
					t.Errorf("notes %q of\n%s", w.Notes, text)
				}
			}
		})
	}
}

// labelsReader writes labels, one a row, into a file of a format, and reads them.
type labelsReader func(ctx context.Context, tax *taxonomy.Taxonomy, labels []string) (*taxonomy.Taxonomy, [][]int, error)

// oneLabelEach are the formats whose labels may be any names.
func oneLabelEach(t *testing.T) map[string]labelsReader {
	corpus := func(c *dataset.Corpus, err error) (*taxonomy.Taxonomy, [][]int, error) {
		if err != nil {
			return nil, nil, err
		}
		return c.Taxonomy, c.LabelSets(), nil
	}
	vectors := filepath.Join(t.TempDir(), "labels.txt")
	return map[string]labelsReader{
		"SVMLight": func(ctx context.Context, tax *taxonomy.Taxonomy, labels []string) (*taxonomy.Taxonomy, [][]int, error) {
			return datasetLabels(SVMLight{}.Read(ctx, strings.NewReader(strings.Join(labels, " 1:1\n")+" 1:1\n"), "f", tax))
		},
		"LSHTC": func(ctx context.Context, tax *taxonomy.Taxonomy, labels []string) (*taxonomy.Taxonomy, [][]int, error) {
			return datasetLabels(LSHTC{}.Read(ctx, strings.NewReader("Data\n"+strings.Join(labels, " 1:1\n")+" 1:1\n"), "f", tax))
		},
		"Vectors": func(ctx context.Context, tax *taxonomy.Taxonomy, labels []string) (*taxonomy.Taxonomy, [][]int, error) {
			if err := os.WriteFile(vectors, []byte(strings.Join(labels, "\n")+"\n"), 0o600); err != nil {
				return nil, nil, err
			}
			rows := npy(fmt.Sprintf("{'descr': '|u1', 'fortran_order': False, 'shape': (%d, 1), }", len(labels)), make([]byte, len(labels)))
			return datasetLabels(Vectors{Labels: vectors}.Read(ctx, bytes.NewReader(rows), "f", tax))
		},
		"JSONLines": func(ctx context.Context, tax *taxonomy.Taxonomy, labels []string) (*taxonomy.Taxonomy, [][]int, error) {
			var b strings.Builder
			for _, label := range labels {
				fmt.Fprintf(&b, "{\"label\": %q, \"text\": \"x\"}\n", label)
			}
			return corpus(JSONLines{}.Read(ctx, strings.NewReader(b.String()), "f", tax))
		},
		"CSV": func(ctx context.Context, tax *taxonomy.Taxonomy, labels []string) (*taxonomy.Taxonomy, [][]int, error) {
			return corpus(CSV{LabelSeparator: "none"}.Read(ctx, strings.NewReader("label,text\n"+strings.Join(labels, ",x\n")+",x\n"), "f", tax))
		},
		"Table": func(ctx context.Context, tax *taxonomy.Taxonomy, labels []string) (*taxonomy.Taxonomy, [][]int, error) {
			read, err := Table{Text: []string{"text"}, LabelSeparator: "none"}.Read(ctx, strings.NewReader("label,text\n"+strings.Join(labels, ",x\n")+",x\n"), "f", tax)
			if err != nil {
				return nil, nil, err
			}
			return read.Taxonomy, read.Labels, nil
		},
		"Folders": func(ctx context.Context, tax *taxonomy.Taxonomy, labels []string) (*taxonomy.Taxonomy, [][]int, error) {
			tree := make(fstest.MapFS)
			for i, label := range labels { // read in the order of the parts above
				tree[fmt.Sprintf("%03d/%s/x", i, label)] = &fstest.MapFile{Data: []byte("x")}
			}
			return corpus(Folders{}.ReadFS(ctx, tree, "f", tax))
		},
	}
}

// TestOneRule writes the same labels, one a row, in each format: they make the same taxonomy
// everywhere, by what is found out of them, which each format tells in a line with its own setting.
func TestOneRule(t *testing.T) {
	ctx := t.Context()
	formats := oneLabelEach(t)
	divided := 0
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 3))
		separator := append(pathSeparators, "-")[r.IntN(len(pathSeparators)+1)]
		var labels []string
		for range 1 + r.IntN(9) {
			label := string(rune('a' + r.IntN(3)))
			for range r.IntN(3) {
				label += separator + string(rune('a'+r.IntN(3)))
			}
			if r.IntN(8) == 0 {
				label += []string{"/o", "::", ">", ".5", "|z"}[r.IntN(5)]
			}
			labels = append(labels, label)
		}
		want, notes := "", ""
		for _, name := range []string{"Table", "CSV", "SVMLight", "LSHTC", "JSONLines", "Vectors", "Folders"} {
			if all := strings.Join(labels, ""); name == "Folders" && strings.Contains(all, "/") || name == "LSHTC" && strings.Contains(all, ":") {
				continue // the format has it for something else
			}
			var w example.Watcher
			tax, nodes, err := formats[name](progress.With(ctx, &w), nil, labels)
			if err != nil {
				t.Fatalf("%s: %v of %q", name, err, labels)
			}
			got := fmt.Sprintf("%q %v", tax.Names(), tax.Edges())
			for i, set := range nodes {
				if len(set) != 1 {
					t.Errorf("%s: labels %v of %q", name, set, labels[i])
				}
				got += fmt.Sprint(" ", tax.Name(set[0]))
			}
			noted := strings.ReplaceAll(strings.Join(w.Notes, "\n"), "files."+name, "files.X")
			noted = strings.ReplaceAll(noted, "{Separator", "{PathSeparator")
			if name == "Table" {
				noted = strings.Join(slices.DeleteFunc(strings.Split(noted, "\n"), func(note string) bool { return !strings.Contains(note, "{PathSeparator") }), "\n")
				want, notes = got, noted
				if len(tax.Edges()) > 0 {
					divided++
				}
			}
			if got != want || noted != notes {
				t.Errorf("%s: %s, %s\nTable: %s, %s\nof %q", name, got, noted, want, notes, labels)
			}
		}
		if (notes == "") != !strings.ContainsAny(strings.Join(labels, ""), `>/|\:.`) && separator != "." && !strings.Contains(strings.Join(labels, ""), ".5") {
			t.Errorf("notes %q of %q", notes, labels)
		}
	}
	if divided < 30 || divided > 120 {
		t.Errorf("%d of 150 are paths; the test wants both", divided)
	}
}

// TestLeafed reads new files with the taxonomy of training data that were Leafed: labels at inner
// nodes are at their leaves there, in every format.
func TestLeafed(t *testing.T) {
	train, err := taxonomy.FromPaths([]string{"a.b", "a.c", "d.e.f"}, ".")
	if err != nil {
		t.Fatal(err)
	}
	node := func(name string) int {
		n, _ := train.Node(name)
		return n
	}
	leafed, _, err := train.WithMiscellaneous([]int{node("a"), node("d"), node("d.e")})
	if err != nil {
		t.Fatal(err)
	}
	labels := []string{"a", "a.b", "d", "d.e", "d.e.f"}
	for name, read := range oneLabelEach(t) {
		_, sets, err := read(t.Context(), leafed, labels)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i, set := range sets {
			if want, _ := leafed.LabelNode(labels[i]); len(set) != 1 || set[0] != want || len(leafed.Children(set[0])) > 0 {
				t.Errorf("%s: %s is read as %v, want the leaf %d", name, labels[i], leafed.NamesOf(set...), want)
			}
		}
	}
	for _, content := range []string{"labels,text\n\"d.e, a\",x\n", "label,text\nd.e|a,x\n"} {
		read, err := Table{Text: []string{"text"}}.Read(t.Context(), strings.NewReader(content), "t.csv", leafed)
		if err != nil || len(read.Labels[0]) != 2 || len(leafed.Children(read.Labels[0][0])) > 0 || len(leafed.Children(read.Labels[0][1])) > 0 {
			t.Errorf("several labels: %v, %v", read, err)
		}
	}
}

// TestLongLabels refuses labels that are longer than names are, which as paths would have a node
// for every other byte.
func TestLongLabels(t *testing.T) {
	long := strings.Repeat("a.", 2*longestName) + "b"
	formats := oneLabelEach(t)
	formats["levels"] = func(ctx context.Context, tax *taxonomy.Taxonomy, labels []string) (*taxonomy.Taxonomy, [][]int, error) {
		_, err := CSV{Levels: []string{"l", "m"}}.Read(ctx, strings.NewReader("l,m,text\na,"+labels[0]+",x\n"), "f", tax)
		return nil, nil, err
	}
	formats["fields"] = func(ctx context.Context, tax *taxonomy.Taxonomy, labels []string) (*taxonomy.Taxonomy, [][]int, error) {
		_, err := CSV{Repair: new(Faults)}.Read(ctx, strings.NewReader("label,text\n"+strings.Join(labels, ",x\n")+",x\n"), "f", tax)
		return nil, nil, err
	}
	formats["ARFF"] = func(ctx context.Context, tax *taxonomy.Taxonomy, labels []string) (*taxonomy.Taxonomy, [][]int, error) {
		return datasetLabels(ARFF{}.Read(ctx, strings.NewReader("@relation r\n@attribute x numeric\n@attribute c hierarchical "+strings.ReplaceAll(labels[0], ".", "/")+"\n@data\n"), "f", tax))
	}
	for name, read := range formats {
		_, _, err := read(t.Context(), nil, []string{long, "a.c"})
		var at *SyntaxError
		if !errors.As(err, &at) || !strings.Contains(at.Msg, "more than 4096 bytes") {
			t.Errorf("%s: %.200v", name, err)
		}
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
			_, _, err := format.labels(t.Context(), format.line([]string{"a//b"})+"\n", nil, "/")
			if err == nil || !strings.Contains(err.Error(), format.name+`{PathSeparator: "none"}`) {
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
