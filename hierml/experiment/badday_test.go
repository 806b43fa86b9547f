//go:build unix

package experiment

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/hierml/notebook/hierml/farm"
	"github.com/hierml/notebook/internal/testfault"
)

// TestMain makes processes of the test binary that keep cells of a study: as many as they can, or
// one on each side of a full disk; and those that a farm has started as parts of a test's study.
func TestMain(m *testing.M) {
	keeping, full, three := os.Getenv("HIERML_TEST_KEEPING"), os.Getenv("HIERML_TEST_FULL"), os.Getenv("HIERML_TEST_KEEPING_THREE")
	var err error
	switch {
	case os.Getenv(partOfTest) != "" && os.Getenv(farm.PartVariable) != "":
		err = computePart(os.Getenv(partOfTest), os.Getenv(directoryOfTest))
	case three != "":
		err = keepThree(three)
	case keeping != "" || full != "":
		err = keepCells(keeping, full)
	default:
		os.Exit(m.Run())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func keepCells(keeping, full string) error {
	s, err := openStore(keeping + full)
	if err != nil {
		return err
	}
	if full != "" {
		if err := s.add(&Cell{Key: "before"}); err != nil {
			return err
		}
		if err := testfault.Limit(uint64(s.size) + 20); err != nil {
			return err
		}
		for range 2 {
			if err := s.add(&Cell{Key: "during"}); err == nil {
				return fmt.Errorf("a cell is kept on a full disk")
			}
		}
		if err := testfault.Limit(math.MaxUint64); err != nil {
			return err
		}
		if err := s.add(&Cell{Key: "after"}); err != nil {
			return err
		}
		return s.close()
	}
	for n := len(s.cells) + 1; ; n++ {
		if err := s.add(&Cell{Key: strconv.Itoa(n), Note: strings.Repeat("x", 5000)}); err != nil {
			return err
		}
		fmt.Println(n)
		if err := keep(keeping, planFile, bytes.Repeat([]byte("{}\n"), 1<<16)); err != nil {
			return err
		}
	}
}

// keepThree keeps three cells, each of which it tries again if that failed, and tells of each that
// is kept.
func keepThree(dir string) error {
	s, err := openStore(dir)
	if errors.Is(err, syscall.EIO) {
		s, err = openStore(dir)
	}
	if err != nil {
		return err
	}
	for n := range 3 {
		c := &Cell{Key: strconv.Itoa(n), Note: strings.Repeat("x", 5000)}
		err := s.add(c)
		if errors.Is(err, syscall.EIO) {
			err = s.add(c)
		}
		if err != nil {
			return err
		}
		fmt.Println(n)
	}
	return errors.Join(keep(dir, studyFile, []byte("{}")), s.close())
}

// TestFullDisk holds that a cell that could not be kept leaves nothing in the file, in which the
// next would go on.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	cmd := testfault.Process(t.Context(), "HIERML_TEST_FULL="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cells, whole, err := readCells(dir)
	if err != nil || len(cells) != 2 || cells["before"] == nil || cells["after"] == nil {
		t.Errorf("got %v, %v", cells, err)
	}
	if info, err := os.Stat(filepath.Join(dir, cellsFile)); err != nil || info.Size() != whole {
		t.Errorf("%d bytes of %v are whole, %v", whole, info, err)
	}
}

// TestKilled holds that cells that were kept are there, whenever the process was killed, and that
// the next run removes what it has left half written.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	testfault.Killed(t, 15, "HIERML_TEST_KEEPING="+dir, func(last string) {
		cells, _, err := readCells(dir)
		if err != nil {
			t.Fatal(err)
		}
		n, err := strconv.Atoi(last)
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if cells[strconv.Itoa(i+1)] == nil {
				t.Fatalf("the cell %d of %d is lost", i+1, n)
			}
		}
	})
	s, err := openStore(dir)
	if err == nil {
		err = s.close()
	}
	left, globErr := filepath.Glob(filepath.Join(dir, "*.tmp"))
	if err := errors.Join(err, globErr); err != nil || len(left) > 0 {
		t.Errorf("there is %q, %v", left, err)
	}
}
