package lock

import (
	"errors"
	"math"
	"os"

	"golang.org/x/sys/windows"
)

// Available tells whether the system has locks.
const Available = true

// Direct are flags of os.OpenFile by which no link is followed and no pipe waited for, where the
// system has such flags.
const Direct = 0

// open opens the file so that it can be removed while it is open, and nothing that a link of
// another's leads to.
func open(path string, flag int) (*os.File, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	disposition := uint32(windows.OPEN_EXISTING)
	if flag&os.O_CREATE != 0 {
		disposition = windows.OPEN_ALWAYS
	}
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	h, err := windows.CreateFile(name, windows.GENERIC_READ|windows.GENERIC_WRITE, share, nil, disposition, windows.FILE_ATTRIBUTE_NORMAL|windows.FILE_FLAG_OPEN_REPARSE_POINT, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), path), nil
}

// File locks an open file until it is closed, or its process ends, and reports whether no other has
// locked it. What is locked is a byte that no file has: others can read the file.
func File(f *os.File, alone bool) (bool, error) {
	flags := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if alone {
		flags |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{Offset: math.MaxUint32 - 1, OffsetHigh: math.MaxUint32})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}
