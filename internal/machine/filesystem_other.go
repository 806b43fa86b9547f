//go:build !linux

package machine

// FileSystemOf knows no file systems here.
func FileSystemOf(string) (FileSystem, error) { return FileSystem{}, nil }
