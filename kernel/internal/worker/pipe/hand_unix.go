//go:build unix

package pipe

import (
	"os"
	"os/exec"

	"golang.org/x/sys/unix"
)

// Hand gives a child that is to be started its ends of the pipes besides those that it has as its
// standard output and as that of its run time.
func Hand(cmd *exec.Cmd, commands, frames, stderr *os.File) error {
	cmd.ExtraFiles = []*os.File{commands, frames, stderr}
	return nil
}

// Handed returns, in the child, what [Hand] gave. What it starts does not have them, but for what
// is given as its standard error.
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
