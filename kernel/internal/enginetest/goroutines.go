package enginetest

import (
	"regexp"
	"testing"
)

var goStatement = regexp.MustCompile(`\bgo (func\(|[\w.]+\()|\.Go\(`)

// StartsGoroutines reports whether a source seems to start goroutines.
func StartsGoroutines(source string) bool { return goStatement.MatchString(source) }

// SkipGoroutines skips source that starts goroutines under the race detector. yaegi moves the
// variables of the session, but not their values, while goroutines read them, and goroutines that
// run the same function note its lines in the same variable.
func SkipGoroutines(t *testing.T, source string) {
	t.Helper()
	if Raced && StartsGoroutines(source) {
		t.Skip("yaegi races where goroutines of a session run")
	}
}
