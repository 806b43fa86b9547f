//go:build unix

package experiment

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/farm"
	"github.com/hierml/notebook/hierml/internal/farmed"
	"github.com/hierml/notebook/hierml/perceptron"
	"github.com/hierml/notebook/hierml/synthetic"
	"github.com/hierml/notebook/internal/testfault"
)

// repeated is a small study of so many repeats.
func repeated(directory string, repeats int, on farm.Farm) *Study {
	return &Study{
		Data:    []Data{{Name: "drawn", Generator: synthetic.LinearTree{Depth: 1, Features: 3, Instances: 20}}},
		Methods: []Method{{Name: "one", Estimator: perceptron.Flat{}}},
		Repeats: repeats, Measures: []string{"accuracy"}, Directory: directory, Farm: on, Workers: 1,
	}
}

// TestForeignStudy replaces each file and each folder in the folder of a study by a link, a pipe, a
// socket or what else it is not, and then shows, runs, stops and shares out the study: nothing
// outside changes, all of it ends, and what would be read is refused by its name.
func TestForeignStudy(t *testing.T) {
	template := filepath.Join(t.TempDir(), "a.study")
	complete(t, repeated(template, 1, nil))
	complete(t, repeated(template, 2, inline{}))
	job := filepath.Join(template, farmed.Logs, "local-1")
	if err := errors.Join(os.Mkdir(job, 0o700), (&farmed.Submission{Kind: []byte(`"farm.Local"`), Attempts: []farmed.Attempt{{{Name: "0001-1", ID: job, Tag: "0123456789abcdef"}}}}).Keep(template)); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"leader": "4194305 none 1\n", "parts": "1\n", "0.begun": "", "0.ended": "1\n", "over": "",
		"../hierml-0001-1-0123456789abcdef_0.txt": "said\n", "../../study.json.0123abcd.tmp": "", "../../jobs/0001-1.json.0123abcd.tmp": "",
	} {
		if err := os.WriteFile(filepath.Join(job, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// Of these nothing is read but the names, or nothing at all where a job is over.
	unread := []string{"0.begun", "over", "parts", ".tmp", "_0.txt"}
	ctx := t.Context()
	calls := map[string]func(directory string) error{
		"Load":   func(directory string) error { _, err := Load(directory); return err },
		"Run":    func(directory string) error { _, err := repeated(directory, 3, nil).Run(ctx); return err },
		"farm":   func(directory string) error { _, err := repeated(directory, 3, inline{}).Run(ctx); return err },
		"Stop":   func(directory string) error { return Stop(ctx, directory) },
		"Assign": func(directory string) error { _, _, err := repeated(directory, 3, nil).Assign(ctx, 0); return err },
		"Read":   func(directory string) error { _, err := ReadStudy(directory); return err },
		"part": func(directory string) error {
			c, err := repeated(directory, 2, nil).checked()
			if err != nil {
				return err
			}
			return c.part(ctx, &role{directory, "0001-1", 0})
		},
		"cell": func(directory string) error {
			r, err := Load(template)
			if err != nil {
				return err
			}
			_, err = repeated(directory, 2, nil).RunCell(ctx, r.Cells[0].Key)
			return err
		},
	}
	testfault.Foreign(t, template, calls, []string{"Run", "farm", "part"}, func(kind, path string) bool {
		return kind == "hard link" && path != cellsFile && path != lockFile || slices.ContainsFunc(unread, func(end string) bool { return strings.HasSuffix(path, end) })
	})
	for _, call := range []string{"Run", "farm", "Assign"} { // what killed processes have left goes
		directory := testfault.CopyFolder(t, template)
		if err := calls[call](directory); err != nil {
			t.Fatal(err)
		}
		left, err := filepath.Glob(filepath.Join(directory, "*.tmp"))
		jobs, jobsErr := filepath.Glob(filepath.Join(directory, "jobs", "*.tmp"))
		if err := errors.Join(err, jobsErr); err != nil || len(left)+len(jobs) > 0 {
			t.Errorf("after %s there are %q and %q, %v", call, left, jobs, err)
		}
	}
}
