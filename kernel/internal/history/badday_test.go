//go:build unix

package history

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hierml/notebook/internal/testfault"
)

// written writes the pending cells, and reports whether none is left.
func written(h *History) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.notBefore = time.Time{}
	h.flush(lockPatience)
	return len(h.pending) == 0
}

// keepUntilKilled adds cells for ever, and tells of each that is in the file.
func keepUntilKilled(path string) {
	h, j := open(path)
	for line := 1; ; line++ {
		h.Add(line, strings.Repeat("x", 3000), strconv.Itoa(line))
		if !written(h) {
			fmt.Fprintln(os.Stderr, j)
			os.Exit(1)
		}
		fmt.Println(line)
	}
}

// TestKilled holds that a history is one, whenever a kernel was killed, and has what was written.
func TestKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "h", "history.jsonl")
	testfault.Killed(t, 15, "HIERML_TEST_HISTORY_KILLED="+path, func(last string) {
		h, j := open(path)
		newest := h.Tail(2)
		h.Close()
		if j.String() != "" {
			t.Fatal(j)
		}
		for _, c := range newest {
			if c.Output == last {
				return
			}
		}
		t.Fatalf("the cell %s is lost; the newest are %.100s", last, describe(newest))
	})
}

// keepThree adds three cells, and tells of each when it is in the file, for which it tries twice.
func keepThree(path string) {
	h, j := open(path)
	for line := 1; line <= 3; line++ {
		h.Add(line, strings.Repeat("x", 3000), strconv.Itoa(line))
		done := written(h)
		if done || written(h) {
			fmt.Println(line)
		}
	}
	h.Close()
	fmt.Print(j)
}

// keepOnFullDisk adds a cell before a disk is full, one while it is, and one after, and returns
// what is wrong.
func keepOnFullDisk(path string) string {
	h, j := open(path)
	h.Add(1, "before", "")
	if !written(h) {
		return "the first cell is not written: " + j.String()
	}
	info, err := os.Stat(path)
	if err != nil {
		return err.Error()
	}
	for _, room := range []int64{-info.Size(), -info.Size() + 1, -info.Size() / 2, -4096} {
		if err := testfault.Limit(uint64(info.Size() + room)); err != nil {
			return err.Error()
		}
		h.Add(2, strings.Repeat("during", 50_000), "")
		if written(h) {
			return "a cell is written on a full disk"
		}
		if got := describe(h.Tail(2)); !strings.HasSuffix(got, "during") {
			return "the cell is not in memory: " + got
		}
	}
	if err := testfault.Limit(math.MaxUint64); err != nil {
		return err.Error()
	}
	h.Add(3, "after", "")
	if !written(h) {
		return "the last cell is not written: " + j.String()
	}
	h.Close()
	if strings.Contains(j.String(), "set aside") {
		return j.String()
	}
	return "good"
}

// TestFullDisk holds that a disk that is full for a while costs no cell.
func TestFullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "h", "history.jsonl")
	out, err := testfault.Process(t.Context(), "HIERML_TEST_HISTORY_FULL="+path).CombinedOutput()
	if err != nil || string(out) != "good\n" {
		t.Fatalf("%.500s, %v", out, err)
	}
	h, j := open(path)
	if got := h.Tail(0); len(got) < 3 || got[0].Input != "before" || got[len(got)-1].Input != "after" || j.String() != "" {
		t.Errorf("%d cells; %s", len(got), j)
	}
}
