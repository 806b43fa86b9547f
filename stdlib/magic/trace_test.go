package magic

import (
	"strings"
	"testing"
)

// TestTraceWriter cuts what a program of tests writes at all places.
func TestTraceWriter(t *testing.T) {
	const text = "no newline\ngo on\n  goroutine 1 is fine\npanic: a\n\ngoroutine 7 [running]:\ntesting.tRunner.func1.2({0x5, 0x6})\n\t/usr/local/go/src/testing/testing.go:1974 +0x232\npanic({0x5?, 0x6?})\n\t/usr/local/go/src/runtime/panic.go:860 +0x13a\n" +
		"session/tests.(*T).M(...)\n\t/tmp/a/tests/Cell [3]:2\nexample.com/m.F({0x1, 0x2})\n\t/m/src/f.go:4 +0x1\ncreated by session/tests.TestX in goroutine 6\n\t/tmp/a/tests/Cell [4]:1 +0x9\n\ngoroutine 8 [select]:\ntesting.tRunner(0x1)\n\t/go/src/testing/testing.go:1 +0x2\nmain.main()\n\t_testmain.go:45 +0x9b\n\nexit\ngoroutine "
	const want = "no newline\ngo on\n  goroutine 1 is fine\npanic: a\n\ngoroutine 7 [running]:\n    Cell [3]:2: (*T).M\n    /m/src/f.go:4: example.com/m.F\n    Cell [4]:1: created by TestX\n\nexit\ngoroutine "
	for at := range len(text) {
		var out strings.Builder
		w := &traceWriter{w: &out}
		for _, part := range []string{text[:at], text[at:]} {
			if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
				t.Fatal(n, err)
			}
		}
		if err := w.Close(); err != nil || out.String() != want {
			t.Fatalf("cut at %d: %q, %v, want %q", at, out.String(), err, want)
		}
	}
}
