//go:build linux && amd64

package experiment

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hierml/notebook/internal/testfault"
)

// TestEachCall has processes that keep cells of a study, in which each call of the operating system
// that changes its directory fails or is the last: the cells that were said to be kept are there,
// and one failure costs no other.
func TestEachCall(t *testing.T) {
	testfault.AtEachCall(t, func(dir string) string {
		return "HIERML_TEST_KEEPING_THREE=" + dir
	}, func(t *testing.T, dir string, r testfault.Run) {
		cells, _, err := readCells(dir)
		if err != nil {
			t.Fatal(err)
		}
		for n := range 3 {
			key := strconv.Itoa(n)
			told := slices.Contains(strings.Split(r.Output, "\n"), key)
			if !told && r.Fault == testfault.Fails || told && cells[key] == nil {
				t.Errorf("the cell %s was told of: %v, is there: %v\n%s", key, told, cells[key] != nil, r.Output)
			}
		}
		if _, err := os.Stat(dir + "/" + studyFile); err != nil && r.Call == "" {
			t.Error(err)
		}
	})
}
