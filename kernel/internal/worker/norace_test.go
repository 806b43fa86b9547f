//go:build !race

package worker

const (
	raceEnabled = false
	outOfMemory = "out of memory"
)
