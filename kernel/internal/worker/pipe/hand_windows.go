package pipe

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// handlesVariable names the environment variable with the handles that the child inherits.
const handlesVariable = "HIERML_PIPES"

// Hand gives a child its ends of the pipes before it starts, except its standard output and that of
// its run time.
func Hand(cmd *exec.Cmd, commands, frames, stderr *os.File) error {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	handles := []windows.Handle{windows.Handle(commands.Fd()), windows.Handle(frames.Fd()), windows.Handle(stderr.Fd())}
	for _, h := range handles {
		if err := windows.SetHandleInformation(h, windows.HANDLE_FLAG_INHERIT, windows.HANDLE_FLAG_INHERIT); err != nil {
			return err
		}
		cmd.SysProcAttr.AdditionalInheritedHandles = append(cmd.SysProcAttr.AdditionalInheritedHandles, syscall.Handle(h))
	}
	cmd.Env = append(cmd.Environ(), fmt.Sprintf("%s=%d,%d,%d", handlesVariable, handles[0], handles[1], handles[2]))
	return nil
}

// Handed returns, in the child, what [Hand] gave. Processes that the child starts do not inherit
// these, except the one passed as their standard error.
func Handed() (commands, frames, stderr *os.File, err error) {
	var handles [3]windows.Handle
	if _, err := fmt.Sscanf(os.Getenv(handlesVariable), "%d,%d,%d", &handles[0], &handles[1], &handles[2]); err != nil {
		return nil, nil, nil, errNotHanded
	}
	if err := os.Unsetenv(handlesVariable); err != nil {
		return nil, nil, nil, err
	}
	for _, h := range handles {
		if kind, err := windows.GetFileType(h); err != nil || kind != windows.FILE_TYPE_PIPE {
			return nil, nil, nil, errNotHanded
		}
		if err := windows.SetHandleInformation(h, windows.HANDLE_FLAG_INHERIT, 0); err != nil {
			return nil, nil, nil, err
		}
	}
	return os.NewFile(uintptr(handles[0]), "commands"), os.NewFile(uintptr(handles[1]), "frames"), os.NewFile(uintptr(handles[2]), "/dev/stderr"), nil
}
