package files

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// TestUnlabelled reads new rows and texts without labels in every format, with the taxonomy of the
// training data, and is told in a line where the format does not say itself that they have none.
func TestUnlabelled(t *testing.T) {
	instances := func(read func(ctx context.Context, tax *taxonomy.Taxonomy) (*dataset.Dataset, error)) func(context.Context, *taxonomy.Taxonomy) ([][]int, error) {
		return func(ctx context.Context, tax *taxonomy.Taxonomy) ([][]int, error) {
			d, err := read(ctx, tax)
			if err != nil {
				return nil, err
			}
			example.CheckMatrix(t, d.X)
			return d.Labels, d.Check()
		}
	}
	documents := func(read func(ctx context.Context, tax *taxonomy.Taxonomy) (*dataset.Corpus, error)) func(context.Context, *taxonomy.Taxonomy) ([][]int, error) {
		return func(ctx context.Context, tax *taxonomy.Taxonomy) (labels [][]int, err error) {
			c, err := read(ctx, tax)
			if err != nil {
				return nil, err
			}
			for _, d := range c.Documents {
				labels = append(labels, d.Labels)
			}
			return labels, nil
		}
	}
	svmlight := func(text string) func(context.Context, *taxonomy.Taxonomy) ([][]int, error) {
		return instances(func(ctx context.Context, tax *taxonomy.Taxonomy) (*dataset.Dataset, error) {
			return SVMLight{}.Read(ctx, strings.NewReader(text), "new", tax)
		})
	}
	lshtc := func(text string) func(context.Context, *taxonomy.Taxonomy) ([][]int, error) {
		return instances(func(ctx context.Context, tax *taxonomy.Taxonomy) (*dataset.Dataset, error) {
			return LSHTC{}.Read(ctx, strings.NewReader(text), "new", tax)
		})
	}
	arff := func(text string) func(context.Context, *taxonomy.Taxonomy) ([][]int, error) {
		return instances(func(ctx context.Context, tax *taxonomy.Taxonomy) (*dataset.Dataset, error) {
			return ARFF{}.Read(ctx, strings.NewReader(text), "new", tax)
		})
	}
	jsonl := func(text string) func(context.Context, *taxonomy.Taxonomy) ([][]int, error) {
		return documents(func(ctx context.Context, tax *taxonomy.Taxonomy) (*dataset.Corpus, error) {
			return JSONLines{}.Read(ctx, strings.NewReader(text), "new", tax)
		})
	}
	folders := func(s Folders, files ...string) func(context.Context, *taxonomy.Taxonomy) ([][]int, error) {
		return documents(func(ctx context.Context, tax *taxonomy.Taxonomy) (*dataset.Corpus, error) {
			fsys := make(fstest.MapFS)
			for _, file := range files {
				fsys[file] = &fstest.MapFile{Data: []byte("new")}
			}
			return s.ReadFS(ctx, fsys, "new", tax)
		})
	}
	const head = "@relation 'r: -C 2'\n@attribute apple {0,1}\n@attribute pear {0,1}\n@attribute x numeric\n@data\n"
	for _, test := range []struct {
		name string
		read func(context.Context, *taxonomy.Taxonomy) ([][]int, error)
		note string
	}{
		{"SVMLight, blank", svmlight(" 1:1 2:3\n\t2:1\n"), ""},
		{"SVMLight, feature", svmlight("1:1 2:3\n2:1 # x\n"), "new: 2 instances begin with a feature instead of a label and have no labels."},
		{"LSHTC, 0", lshtc("0 1:1 2:3\n0 2:1\n"), ""},
		{"LSHTC, feature", lshtc("1:1 2:3\n2:1\n"), "2 instances begin with a feature instead of a category"},
		{"RCV1", instances(func(ctx context.Context, tax *taxonomy.Taxonomy) (*dataset.Dataset, error) {
			return RCV1{}.Read(ctx, strings.NewReader("2286  1:1\n2287  2:1\n"), "new", tax)
		}), ""},
		{"ARFF, missing class", arff("@relation r\n@attribute x numeric\n@attribute c hierarchical apple,pear\n@data\n1,?\n{0 1}\n"), ""},
		{"ARFF, no class", arff("@relation r\n@attribute x numeric\n@data\n1\n{0 1}\n"), "new: no attribute has labels, so the rows have none."},
		{"ARFF, missing labels", arff(head + "?,?,1\n{0 ?, 1 ?, 2 1}\n"), ""},
		{"Vectors", instances(func(ctx context.Context, tax *taxonomy.Taxonomy) (*dataset.Dataset, error) {
			return Vectors{}.Read(ctx, strings.NewReader(string(npy("{'descr': '|u1', 'fortran_order': False, 'shape': (2, 1), }", []byte("ab")))), "new", tax)
		}), ""},
		{"JSONLines, null", jsonl(`{"text": "a", "label": null}` + "\n" + `{"text": "b", "label": []}` + "\n"), ""},
		{"JSONLines, no field", jsonl(`{"text": "a"}` + "\n" + `{"text": "b"}` + "\n"), "read without labels"},
		{"CSV", documents(func(ctx context.Context, tax *taxonomy.Taxonomy) (*dataset.Corpus, error) {
			return CSV{}.Read(ctx, strings.NewReader("text\na\nb\n"), "new", tax)
		}), "the texts are read without labels [files.CSV{Labels}]"},
		{"Folders", folders(Folders{NoLabels: true}, "a.txt", "some/folder/b.txt"), ""},
		{"WIPO", documents(func(ctx context.Context, tax *taxonomy.Taxonomy) (*dataset.Corpus, error) {
			return WIPO{}.Read(ctx, strings.NewReader(`<r><record pn="1"><ti>x</ti></record><record pn="2"><ti>y</ti></record></r>`), "new", tax)
		}), "2 instances have no <ipcs mc=...> and have no labels"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var w example.Watcher
			labels, err := test.read(progress.With(t.Context(), &w), example.Fruit())
			if err != nil || len(labels) != 2 || len(labels[0])+len(labels[1]) > 0 {
				t.Errorf("%v, %v", labels, err)
			}
			if notes := strings.Join(w.Notes, "\n"); (notes == "") != (test.note == "") || !strings.Contains(notes, test.note) {
				t.Errorf("noted %q", notes)
			}
			tells := strings.HasPrefix(test.name, "ARFF, missing") // the taxonomy itself
			if _, err := test.read(t.Context(), nil); err == nil && !tells {
				t.Error("makes a taxonomy of no labels")
			}
		})
	}
	_, err := folders(Folders{}, "a.txt", "b.txt")(t.Context(), example.Fruit())
	wantPlace(t, err, 1, 0, "Folders{NoLabels: true}")
	_, err = ARFF{Class: "c"}.Read(t.Context(), strings.NewReader("@relation r\n@attribute x numeric\n@data\n1\n"), "new", example.Fruit())
	wantPlace(t, err, 3, 1, "no attribute has the labels")
}
