package process

// Program returns a file name of the program that runs: of this build of it, also when the file it
// was started from has been removed or replaced.
func Program() (string, error) { return "/proc/self/exe", nil }
