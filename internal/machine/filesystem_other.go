//go:build !linux

package machine

// FileSystemOf knows none here.
func FileSystemOf(string) (FileSystem, error) { return FileSystem{}, nil }
