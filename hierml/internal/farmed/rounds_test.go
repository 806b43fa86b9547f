package farmed

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/hierml/notebook/hierml/farm"
)

// begin returns what part 0 of two has at a start.
func begin(t *testing.T, directory, start string) (*Rounds, *Begun) {
	t.Helper()
	t.Setenv(farm.PartsVariable, "2")
	t.Setenv(farm.StartVariable, start)
	r, err := (&Part{Directory: directory, job: "0001-1"}).Rounds()
	if err != nil {
		t.Fatal(err)
	}
	b, err := r.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r, b
}

// TestStartsTakeTheirPlace has a start go on behind the last round of those before that is whole. A process of
// one before, which is not dead, then finds nothing, and takes nothing away.
func TestStartsTakeTheirPlace(t *testing.T) {
	directory := t.TempDir()
	nothing := func(io.Writer) error { return nil }
	write := func(r *Rounds, names ...string) {
		t.Helper()
		for _, name := range names {
			if err := r.Write(name, nothing); err != nil {
				t.Fatal(err)
			}
		}
	}
	first, b := begin(t, directory, "a")
	if *b != (Begun{}) {
		t.Errorf("the first begins at %+v", *b)
	}
	write(first, RoundName(1, 0), RoundName(1, 1), RoundName(2, 0))
	// What a process has begun to write when it is killed is no file of the round.
	if err := os.WriteFile(RoundsPath(directory, first.Folder(), RoundName(2, 1)+".tmp"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	second, b := begin(t, directory, "b")
	if b.Round != 1 || b.Done || first.Replaced() == second.Replaced() {
		t.Errorf("the second begins at %+v; the first is replaced: %v, the second: %v", *b, first.Replaced(), second.Replaced())
	}
	if err := first.Write(RoundName(2, 1), nothing); err == nil {
		t.Error("the first goes on")
	}
	if err := first.Remove(RoundName(1, 0)); err != nil {
		t.Error(err)
	}
	if _, err := first.Await(t.Context(), RoundName(3, 0)); err == nil {
		t.Error("the first finds something")
	}
	for part := range 2 {
		if _, err := os.Stat(RoundsPath(directory, b.Folder, RoundName(1, part))); err != nil {
			t.Error(err)
		}
	}
	third, b := begin(t, directory, "c") // the second has done nothing
	if b.Round != 1 {
		t.Errorf("the third begins at %+v", *b)
	}
	write(third, RoundName(2, 0), RoundName(2, 1))
	if err := third.Forget(); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(filepath.Join(directory, roundsName))
	if err != nil || len(left) != 1 {
		t.Errorf("%v are left, %v", left, err)
	}
	if err := os.MkdirAll(filepath.Join(directory, processes, fmt.Sprint(folderOf("0001-1", 0), 1)), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(directory, processes, fmt.Sprint(folderOf("0001-1", 0), 1), "00001"+suffix), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, b = begin(t, directory, "d"); !b.Done {
		t.Errorf("the last begins at %+v, and all is done", *b)
	}
}
