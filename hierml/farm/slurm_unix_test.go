//go:build unix

package farm

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestSlurmDoesNotAnswer has a program of Slurm's that hangs, and one whose child does.
func TestSlurmDoesNotAnswer(t *testing.T) {
	defer func(d time.Duration) { patience = d }(patience)
	patience = 100 * time.Millisecond
	held := filepath.Join(t.TempDir(), "held")
	if err := syscall.Mkfifo(held, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, script := range []string{"exec < " + held + "\n", "/bin/cat " + held + "\n"} {
		programs(t, map[string]string{"squeue": script})
		if _, err := (Slurm{}).State(t.Context(), "12"); err == nil || !strings.HasPrefix(err.Error(), "farm: squeue has not answered for 100ms; ") {
			t.Errorf("%q: %v", script, err)
		}
	}
	// What a child waits for.
	pipe, err := os.OpenFile(held, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := pipe.Close(); err != nil {
		t.Error(err)
	}
}
