package guard

import "math"

// maxFiles is how many files the process may open: the system sets no limit.
func maxFiles() int { return math.MaxInt32 }
