package engine_test

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/engine"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestPrograms runs whole programs as one cell. What they print is what they
// print under go run, which is kept beside them; -update asks it again. The
// file beside a program that the interpreter cannot run says so instead.
func TestPrograms(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "programs", "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".go"), func(t *testing.T) {
			if name := filepath.Base(file); raced && (name == "concurrency.go" || name == "patterns.go") {
				t.Skip("goroutines that run the same function note its lines in the same variable")
			}
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			golden := strings.TrimSuffix(file, ".go") + ".out"
			if old, err := os.ReadFile(golden); *update && (err != nil || !strings.HasPrefix(string(old), "refused: ")) {
				out, err := exec.Command("go", "run", file).Output()
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(golden, out, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			n := newNotebook(t)
			_, out, err := n.run(string(source) + "\nmain()")
			var e *engine.Error
			if sentence, ok := strings.CutPrefix(string(want), "refused: "); ok {
				if !errors.As(err, &e) || e.Name != "Refused" || !strings.Contains(e.Message, strings.TrimSpace(sentence)) {
					t.Errorf("%v, want a refusal: %s", err, sentence)
				}
				return
			}
			if err != nil {
				t.Errorf("%v\n%s", err, strings.Join(traceback(err), "\n"))
			}
			if out != string(want) {
				t.Errorf("prints:\n%s\nwant:\n%s", out, want)
			}
		})
	}
}

func traceback(err error) []string {
	var e *engine.Error
	if errors.As(err, &e) {
		return e.Traceback
	}
	return nil
}
