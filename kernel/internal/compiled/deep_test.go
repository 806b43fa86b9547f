package compiled

import (
	"errors"
	"strings"
	"testing"

	"github.com/hierml/notebook/internal/testrun"
	"github.com/hierml/notebook/kernel/internal/compiled/cell"
	"github.com/hierml/notebook/kernel/internal/program"
)

// recurse calls itself without end for a positive number.
func recurse(n int) int {
	cell.Check()
	if n <= 0 {
		return 0
	}
	return recurse(n+1) + 1
}

// TestEndDeep is the finding worker_goroutine_overflow: a goroutine that recurses without end is
// ended by itself, and what else runs goes on.
func TestEndDeep(t *testing.T) {
	if stackSize() == 0 {
		t.Skip("the size of a stack is not known here")
	}
	const size = 1 << 20
	var out recorder
	r := New(Config{Stderr: &out})
	if r.EndDeep(size, nil) {
		t.Error("goroutines are said to be ended where no compiled cell has run")
	}
	if _, err := r.Run(t.Context(), unitOf(1, func() {})); err != nil {
		t.Fatal(err)
	}
	told := make(chan int, 10)
	if !r.EndDeep(size, func(cell int) { told <- cell }) {
		t.Fatal("goroutines cannot be ended")
	}
	defer r.EndDeep(0, nil)
	never := make(chan int)
	for name, run := range map[string]func(){
		"of the cell": func() { recurse(1) },
		"of a goroutine of the cell": func() {
			go func() {
				defer cell.Caught()
				never <- recurse(1)
			}()
			cell.Receive(never)
		},
	} {
		_, err := r.Run(t.Context(), unitOf(2, run))
		if !errors.Is(err, program.ErrDeep) {
			t.Errorf("%s: %v", name, err)
		}
		if cell := <-told; cell != 2 {
			t.Errorf("%s: the cell %d is told of", name, cell)
		}
	}
	if out.String() != "" {
		t.Errorf("cells that fail with it also write %q", out.String())
	}

	begin := make(chan bool)
	if _, err := r.Run(t.Context(), unitOf(3, func() {
		go func() {
			defer cell.Caught()
			<-begin
			recurse(1)
		}()
	})); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Run(t.Context(), unitOf(4, func() {
		close(begin)
		if got := cell.Receive(told); got != 3 {
			t.Errorf("the cell %d is told of", got)
		}
		recurse(0)
	})); err != nil {
		t.Errorf("another cell: %v", err)
	}
	const want = "a goroutine was ended: stack overflow: "
	testrun.Await(t, "the goroutine is reported", func() bool { return strings.HasPrefix(out.String(), want) })
}
