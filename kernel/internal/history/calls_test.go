//go:build linux && amd64

package history

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hierml/notebook/internal/testfault"
)

// TestEachCall has processes in which each call of the operating system that changes the history
// fails or is the last: what was said to be in it is there, it is never set aside, and one failure
// costs no cell. If the sync of what was written already fails, the cells of a new session may be
// there twice.
func TestEachCall(t *testing.T) {
	testfault.AtEachCall(t, func(dir string) string {
		return "HIERML_TEST_HISTORY_THREE=" + filepath.Join(dir, "h", "history.jsonl")
	}, func(t *testing.T, dir string, r testfault.Run) {
		h, j := open(filepath.Join(dir, "h", "history.jsonl"))
		defer h.Close()
		got := map[string]bool{}
		for _, c := range h.Tail(0) {
			if c.Output != strconv.Itoa(c.Line) || len(c.Input) != 3000 {
				t.Errorf("a cell has the line %d, the output %q and %d bytes", c.Line, c.Output, len(c.Input))
			}
			got[c.Output] = true
		}
		for _, line := range []string{"1", "2", "3"} {
			told := slices.Contains(strings.Split(r.Output, "\n"), line)
			if !told && r.Fault == testfault.Fails || told && !got[line] {
				t.Errorf("the cell %s was told of: %v, is there: %v", line, told, got[line])
			}
		}
		if strings.Contains(r.Output+j.String(), "set aside") || r.Fault == testfault.Fails && r.Status.ExitStatus() != 0 {
			t.Errorf("the process says\n%s%s", r.Output, j)
		}
	})
}
