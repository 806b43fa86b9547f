//go:build unix

package wire

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// Exposed returns a warning, with a remedy, if other users can read or write a connection file
// according to its permissions and those of the folders above it. Otherwise it returns an empty
// string. It assumes that the user is the only member of the user's own group, as on most systems.
func Exposed(connectionFile string) string {
	path, err := filepath.EvalSymlinks(connectionFile)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return "" // reading the file reports why
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
	return fmt.Sprintf("other users can %s the connection file %s, and so run code as you. Shut this kernel down, and set JUPYTER_RUNTIME_DIR to a folder that only you can enter before you start Jupyter again", what, connectionFile)
}

// accessOfOthers returns the permissions of users other than the owner for a file or folder, as
// three bits: 4 to read, 2 to write, 1 to execute or enter it.
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
