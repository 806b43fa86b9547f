package process

// Program returns a file name of the running program: of this build, even if the original file has
// been removed or replaced.
func Program() (string, error) { return "/proc/self/exe", nil }
