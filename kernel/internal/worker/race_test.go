//go:build race

package worker

const (
	raceEnabled = true
	outOfMemory = "too many address space collisions for -race mode"
)
