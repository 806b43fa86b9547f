//go:build unix

package pipe

import (
	"os"
	"os/exec"

	"golang.org/x/sys/unix"
)

// Hand gives a child its ends of the pipes before it starts, except its standard output and that of
// its run time.
func Hand(cmd *exec.Cmd, commands, frames, stderr *os.File) error {
	cmd.ExtraFiles = []*os.File{commands, frames, stderr}
	return nil
}

// Handed returns, in the child, what [Hand] gave. Processes that the child starts do not inherit
// these, except the one passed as their standard error.
func Handed() (commands, frames, stderr *os.File, err error) {
	for fd := 3; fd <= 5; fd++ {
		var stat unix.Stat_t
		if err := unix.Fstat(fd, &stat); err != nil || stat.Mode&unix.S_IFMT != unix.S_IFIFO {
			return nil, nil, nil, errNotHanded
		}
		unix.CloseOnExec(fd)
	}
	return os.NewFile(3, "commands"), os.NewFile(4, "frames"), os.NewFile(5, "/dev/stderr"), nil
}
