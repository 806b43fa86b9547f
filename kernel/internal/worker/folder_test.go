//go:build unix

package worker

import (
	"os"
	"path/filepath"
	"testing"
)

// TestFolder looks for the folder of the cells when one has changed it, and when the child is gone.
func TestFolder(t *testing.T) {
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	other := t.TempDir()
	s := newSessionWith(t, Config{Dir: other})
	if _, err := s.run(t.Context(), `os.Chdir("`+folder+`")`); err != nil {
		t.Fatal(err)
	}
	if got := s.worker.Folder(); workingFolder(os.Getpid()) != "" && got != folder {
		t.Errorf("folder %s, want %s", got, folder)
	}
	s.worker.Kill()
	if _, err := s.run(t.Context(), `1`); err == nil {
		t.Error("the death went unnoticed")
	}
	if got := s.worker.Folder(); got != other {
		t.Errorf("folder %s, want %s", got, other)
	}
}

// TestInspectionReadsValues looks at variables through the worker, and whether what goroutines
// write still comes to the cell that started them.
func TestInspectionReadsValues(t *testing.T) {
	s := newSession(t)
	if _, err := s.run(t.Context(), `few := []int{1, 2}`); err != nil {
		t.Fatal(err)
	}
	const want = "var few []int\n\nValue:\n\n[1 2]\n\nDeclared in Cell [1].\n"
	shown := func() any {
		if bundle := s.Inspect("few", 3, 0); bundle != nil {
			return bundle.Data["text/plain"]
		}
		return nil
	}
	// It does not wait long where the machine is slow.
	for n := 0; shown() != want; n++ {
		if n == 100 {
			t.Fatalf("%v", shown())
		}
	}
	if got, err := s.run(t.Context(), `few[1]`); err != nil || got != "=> 2" {
		t.Errorf("%s, %v", got, err)
	}
}
