//go:build unix

package wire

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// Exposed returns a sentence, with what to do, if other users can read or write a connection file:
// by its permissions, and those of the folders above it. It is empty if they cannot. The user's own
// group is the user alone, as most systems have it.
func Exposed(connectionFile string) string {
	path, err := filepath.EvalSymlinks(connectionFile)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return "" // reading the file says why
	}
	may := accessOfOthers(path)
	for dir := filepath.Dir(path); may != 0; dir = filepath.Dir(dir) {
		if accessOfOthers(dir)&1 == 0 {
			return ""
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	what := "read"
	switch {
	case may&2 != 0:
		what = "write to"
	case may&4 == 0:
		return ""
	}
	return fmt.Sprintf("other users can %s the connection file %s, by which they can run code as you; shut this kernel down, and set JUPYTER_RUNTIME_DIR to a folder that you alone can enter before you start Jupyter again", what, connectionFile)
}

// accessOfOthers returns what users other than its owner may do with a file or folder, as three
// bits: 4 to read, 2 to write, 1 to execute it or to enter it.
func accessOfOthers(path string) os.FileMode {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	may := info.Mode().Perm() & 7
	if stat, known := info.Sys().(*syscall.Stat_t); known && int(stat.Gid) != os.Getegid() {
		may |= info.Mode().Perm() >> 3 & 7
	}
	return may
}
