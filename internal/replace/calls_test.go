//go:build linux && amd64

package replace

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hierml/notebook/internal/testfault"
)

// TestEachCall has processes that replace a file once, in which each call of the operating system
// fails or is the last: the file is the old one or the new one, the new one if the process says so,
// and a process that lives leaves nothing beside it that could be removed.
func TestEachCall(t *testing.T) {
	testfault.AtEachCall(t, func(dir string) string {
		path := filepath.Join(dir, "file")
		if err := os.WriteFile(path, texts[0], 0o600); err != nil {
			t.Fatal(err)
		}
		return "HIERML_TEST_REPLACE_ONCE=" + path
	}, func(t *testing.T, dir string, r testfault.Run) {
		content, err := os.ReadFile(filepath.Join(dir, "file"))
		if err != nil {
			t.Fatal(err)
		}
		switch said := r.Output == "replaced\n"; {
		case bytes.Equal(content, texts[1]) && (said || r.Fault == testfault.Kills):
		case bytes.Equal(content, texts[0]) && !said:
		default:
			t.Errorf("the file has %d bytes after %q", len(content), r.Output)
		}
		if r.Fault == testfault.Fails && r.Call != "" && !strings.Contains(r.Output, "input/output error") {
			t.Errorf("the process says %q", r.Output)
		}
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != 1 && r.Fault == testfault.Fails {
			t.Errorf("the folder has %v, %v", entries, err)
		}
	})
}
