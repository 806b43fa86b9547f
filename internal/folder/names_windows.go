package folder

import (
	"os"

	"golang.org/x/sys/windows"
)

// names returns how many names a file has.
func names(f *os.File) (int, error) {
	var info windows.ByHandleFileInformation
	err := windows.GetFileInformationByHandle(windows.Handle(f.Fd()), &info)
	return int(info.NumberOfLinks), err
}
