package machine

// FileSystem is a kind of file system.
type FileSystem struct {
	Name   string // "" if it is not known
	Shared bool   // it is one of a network's, so that other machines may have it, too
}
