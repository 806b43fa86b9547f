//go:build unix

package wire

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestExposed is the attack env_open_connection_file: a connection file that others can read, or
// write to, is told of unless a folder keeps them from it.
func TestExposed(t *testing.T) {
	for _, c := range []struct {
		file, folder, above os.FileMode
		group               int // -1 for the user's own
		want                string
	}{
		{0o600, 0o755, 0o755, -1, ""},
		{0o666, 0o755, 0o755, -1, "write to"},
		{0o644, 0o755, 0o755, -1, "read"},
		{0o604, 0o755, 0o755, -1, "read"},
		{0o602, 0o755, 0o755, -1, "write to"},
		{0o601, 0o755, 0o755, -1, ""},
		{0o640, 0o755, 0o755, -1, ""},
		{0o640, 0o755, 0o755, 4321, "read"},
		{0o660, 0o755, 0o755, 4321, "write to"},
		{0o666, 0o700, 0o755, -1, ""},
		{0o666, 0o755, 0o700, -1, ""},
		{0o666, 0o751, 0o711, -1, "write to"}, // whose name can be known
		{0o666, 0o750, 0o755, -1, ""},
		{0o666, 0o750, 0o755, 4321, "write to"},
	} {
		root, err := os.MkdirTemp("/tmp", "exposed")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(root)
		above := filepath.Join(root, "above")
		folder := filepath.Join(above, "folder")
		file := filepath.Join(folder, "kernel.json")
		err = errors.Join(os.Chmod(root, 0o755), os.MkdirAll(folder, 0o755), os.WriteFile(file, nil, 0o600))
		for path, mode := range map[string]os.FileMode{file: c.file, folder: c.folder, above: c.above} {
			if c.group >= 0 && os.Geteuid() == 0 {
				err = errors.Join(err, os.Chown(path, 0, c.group))
			}
			err = errors.Join(err, os.Chmod(path, mode))
		}
		if err != nil {
			t.Fatal(err)
		}
		link := filepath.Join(root, "link.json")
		if err := os.Symlink(file, link); err != nil {
			t.Fatal(err)
		}
		if c.group >= 0 && os.Geteuid() != 0 {
			continue // only root can give files to any group
		}
		for _, path := range []string{file, link} {
			said := Exposed(path)
			if c.want == "" && said != "" || c.want != "" && !strings.HasPrefix(said, "other users can "+c.want+" the connection file "+path+", and so run code as you. ") {
				t.Errorf("%+v: it says %q", c, said)
			}
		}
	}
	if said := Exposed("/no/such/file"); said != "" {
		t.Errorf("of a missing file it says %q", said)
	}
}
