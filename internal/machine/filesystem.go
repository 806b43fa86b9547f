package machine

// FileSystem is a kind of file system.
type FileSystem struct {
	Name   string // "" if unknown
	Shared bool   // it is a network file system, so that other machines may have it, too
}
