package magic

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
)

// A traceWriter passes on the output of a test program. From stack traces it removes the frames of
// the standard library, and formats the others as "Cell [3]:2: TestX".
type traceWriter struct {
	mu   sync.Mutex
	w    io.Writer
	line string // the beginning of a line that may begin a trace, or is part of one
	// inside says that the last line belongs to a trace, head is the trace's first line until it is
	// written, and call the line of a frame that names the function.
	inside     bool
	head, call string
	// within says that the beginning of the line is written.
	within bool
}

var (
	traceHead = regexp.MustCompile(`^\s*goroutine \d+ .*\[.*\]:$`)
	traceCall = regexp.MustCompile(`^\s*(created by )?(\S+?)(\([^()]*\)| in goroutine \d+)?$`)
	traceFile = regexp.MustCompile(`^\s+(.*:\d+)(?: \+0x[0-9a-f]+)?$`)
)

// testsPackage is the package of tests, in a folder of that name in the session's module.
const testsPackage = "session/tests"

func (t *traceWriter) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.line += string(p)
	for {
		line, rest, ended := strings.Cut(t.line, "\n")
		if !ended {
			break
		}
		t.line = rest
		if err := t.writeLine(line); err != nil {
			return 0, err
		}
	}
	const begins = "goroutine "
	if start := strings.TrimLeft(t.line, " \t"); t.inside || !t.within && (strings.HasPrefix(start, begins) || strings.HasPrefix(begins, start)) {
		return len(p), nil
	}
	return len(p), t.flush()
}

// flush writes the beginning of a line.
func (t *traceWriter) flush() error {
	_, err := io.WriteString(t.w, t.line)
	t.within = t.within || t.line != ""
	t.line = ""
	return err
}

// Close writes the held-back text.
func (t *traceWriter) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.flush()
}

// writeLine handles a line.
func (t *traceWriter) writeLine(line string) error {
	switch {
	case !t.within && traceHead.MatchString(line):
		t.inside, t.head, t.call = true, line+"\n", ""
		return nil
	case !t.inside:
	case strings.TrimSpace(line) == "":
		t.inside = false
		if t.head != "" { // no part of the trace is written yet
			return nil
		}
	case t.call == "":
		t.call = line
		return nil
	default:
		call := t.call
		t.call = ""
		if line = frame(call, line); line == "" {
			return nil
		}
		line, t.head = t.head+line, ""
	}
	t.within = false
	_, err := io.WriteString(t.w, line+"\n")
	return err
}

// frame formats a frame from its two lines, function and file, of a trace. It is empty for the
// standard library.
func frame(call, file string) string {
	c, f := traceCall.FindStringSubmatch(call), traceFile.FindStringSubmatch(file)
	if c == nil || f == nil {
		return call + "\n" + file
	}
	name, place := c[2], f[1]
	slash := strings.LastIndex(name, "/") + 1
	pkg, _, ok := strings.Cut(name[slash:], ".")
	if pkg = name[:slash] + pkg; !ok || strings.Contains(place, "/src/"+pkg+"/") || strings.HasPrefix(place, "_testmain.go:") {
		return ""
	}
	if rest, ok := strings.CutPrefix(name, testsPackage+"."); ok {
		name, place = rest, place[strings.LastIndex(place, "/tests/")+1:]
		place = strings.TrimPrefix(place, "tests/")
	}
	return fmt.Sprintf("    %s: %s%s", place, c[1], name)
}
