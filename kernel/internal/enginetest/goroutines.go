package enginetest

import (
	"regexp"
	"testing"
)

var goStatement = regexp.MustCompile(`\bgo (func\(|[\w.]+\()|\.Go\(`)

// StartsGoroutines reports whether a source seems to start goroutines.
func StartsGoroutines(source string) bool { return goStatement.MatchString(source) }

// SkipGoroutines leaves source that starts goroutines to the runs without the race detector: yaegi
// moves the variables of the session, whose values stay where they are, while goroutines read them,
// and goroutines that run the same function note its lines in the same variable.
func SkipGoroutines(t *testing.T, source string) {
	t.Helper()
	if Raced && StartsGoroutines(source) {
		t.Skip("yaegi races where goroutines of a session run")
	}
}
