package engine_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hierml/notebook/internal/testrun"
	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/program"
)

type behaviour struct {
	Name   string   `json:"name"`
	Cells  []string `json:"cells"`
	Expect struct {
		Value *string `json:"value"`
		Out   *string `json:"out"`
		Error string  `json:"error_contains"`
	} `json:"expect"`
}

// deadly are the cases that end the process which interprets them. The worker package runs them, in
// a process of their own.
var deadly = map[string]bool{"stack-overflow-kernel-survives": true}

// behaviours reads the cases of testdata/notebook-behaviours.json and of the files in
// HIERML_BEHAVIOURS (a list like PATH).
func behaviours(t *testing.T) []behaviour {
	t.Helper()
	files := []string{filepath.Join("testdata", "notebook-behaviours.json")}
	files = append(files, filepath.SplitList(os.Getenv("HIERML_BEHAVIOURS"))...)
	var all []behaviour
	for _, file := range files {
		if file == "" {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var suite struct{ Cases []behaviour }
		if err := json.Unmarshal(data, &suite); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all = append(all, suite.Cases...)
	}
	return all
}

// TestBehaviours runs the cases in the interpreter. Each gives what is expected or is refused with
// a sentence.
func TestBehaviours(t *testing.T) {
	var refused []string
	for _, c := range behaviours(t) {
		t.Run(c.Name, func(t *testing.T) {
			if deadly[c.Name] {
				t.Skip("ends the process: run by TestBehavioursInWorker")
			}
			enginetest.SkipGoroutines(t, strings.Join(c.Cells, "\n"))
			if sentence := c.check(t, newNotebook(t)); sentence != "" {
				refused = append(refused, c.Name+": "+sentence)
			}
		})
	}
	if len(refused) > 8 {
		t.Errorf("%d cases refused, at most 8 may be:\n%s", len(refused), strings.Join(refused, "\n"))
	}
}

// check runs the cells of the case. If one is refused, it returns the sentence.
func (c behaviour) check(t *testing.T, n *notebook) (refusal string) {
	var out string
	var err error
	for _, cell := range c.Cells {
		_, out, err = n.run(cell)
		var e *program.Error
		if errors.As(err, &e) && e.Name == "Refused" {
			t.Logf("refused: %s", e.Message)
			return e.Message
		}
	}
	if c.Expect.Error != "" {
		if err == nil || !strings.Contains(err.Error(), c.Expect.Error) {
			t.Fatalf("error %v, want one with %q", err, c.Expect.Error)
		}
		return ""
	}
	if err != nil {
		t.Fatal(err)
	}
	if c.Expect.Value != nil && enginetest.StartsGoroutines(strings.Join(c.Cells, "\n")) {
		// The cells give the goroutine a time, which a busy machine may not.
		testrun.Await(t, "the value is "+*c.Expect.Value, func() bool {
			if n.values != *c.Expect.Value {
				if _, _, err := n.run(c.Cells[len(c.Cells)-1]); err != nil {
					t.Fatal(err)
				}
			}
			return n.values == *c.Expect.Value
		})
	}
	if c.Expect.Value != nil && n.values != *c.Expect.Value {
		t.Errorf("value %q, want %q", n.values, *c.Expect.Value)
	}
	if c.Expect.Out != nil && out != *c.Expect.Out {
		t.Errorf("output %q, want %q", out, *c.Expect.Out)
	}
	return ""
}
