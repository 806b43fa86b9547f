package toolchain

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// TestFoldersMadeAtOnce makes many folders at once, each of which looks for forgotten ones first.
// None may take the folder of another for one.
func TestFoldersMadeAtOnce(t *testing.T) {
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 150 {
				f, err := newFolder()
				if err != nil {
					t.Error(err)
					return
				}
				if err := os.WriteFile(filepath.Join(f.path, "0.go"), nil, 0o600); err != nil {
					t.Error(err)
				}
				if err := f.remove(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
}
