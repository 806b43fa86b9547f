// Package gotest reads what tests print that run with -v, passes on what a reader of the run wants
// to see of it, and counts what became of the tests. It does not run them. It reads text and not
// the events of -json: under these os.Stderr is os.Stdout, which tests of the kernel tell apart.
package gotest

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// Summary is what became of tests. A test with parts is counted as its parts, and as itself where
// it failed and none of them did.
type Summary struct {
	Passed, Failed int
	Skipped        []Skip
	Failures       []Failure
}

// Failure is a test that failed, or a package if none of its tests says why.
type Failure struct {
	Test string
	// Said is what it printed.
	Said []string
}

// Skip is a test that was left out.
type Skip struct {
	Test string
	// Reason is what the test gave for it.
	Reason string
}

// Add adds what became of other tests.
func (s *Summary) Add(other Summary) {
	s.Passed += other.Passed
	s.Failed += other.Failed
	s.Skipped = append(s.Skipped, other.Skipped...)
	s.Failures = append(s.Failures, other.Failures...)
}

// String returns the counts in one line.
func (s Summary) String() string {
	return fmt.Sprintf("%d passed, %d failed, %d skipped", s.Passed, s.Failed, len(s.Skipped))
}

// most is how many lines of what a failed test said are said again, the last ones.
const most = 25

// Complaints repeats what failed tests said: it is far above by the end of a run.
func (s Summary) Complaints() []string {
	var lines []string
	for _, f := range s.Failures {
		lines = append(lines, f.Test)
		for _, line := range f.Said[max(len(f.Said)-most, 0):] {
			lines = append(lines, "    "+strings.TrimLeft(line, " \t"))
		}
	}
	return lines
}

// Reasons lists why tests were skipped, a line for each reason with how many they were and the
// first of them.
func (s Summary) Reasons() []string {
	counts := map[string]int{}
	var reasons []string
	first := map[string]string{}
	for _, skip := range s.Skipped {
		if counts[skip.Reason]++; counts[skip.Reason] == 1 {
			reasons = append(reasons, skip.Reason)
			first[skip.Reason] = skip.Test
		}
	}
	slices.Sort(reasons)
	for i, reason := range reasons {
		line := fmt.Sprintf("%4d  %s (%s", counts[reason], reason, first[reason])
		if counts[reason] > 1 {
			line += ", …"
		}
		reasons[i] = line + ")"
	}
	return reasons
}

// Verbosity says what is passed on of tests that pass.
type Verbosity int

const (
	// Packages are passed on with a line each.
	Packages Verbosity = iota
	// Logs are passed on too, with all that tests say.
	Logs
)

var (
	began   = regexp.MustCompile(`^=== (RUN|NAME|CONT|PAUSE)\s+(\S.*)$`)
	ended   = regexp.MustCompile(`^\s*--- (PASS|FAIL|SKIP): (.+) \(\d+\.\d+s\)$`)
	verdict = regexp.MustCompile(`^(ok|FAIL|\?)\s*\t(\S+)`)
	place   = regexp.MustCompile(`^\s*[\w.-]+\.go:\d+: `)
)

// Read reads what tests print, and passes on the line of each package, and before it all that its
// tests have said if one of them failed. It passes on whole pieces, each in one call of write.
func Read(r io.Reader, show Verbosity, write func(string)) (Summary, error) {
	p := reader{show: show, write: write, said: map[string][]string{}}
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			p.line(strings.TrimSuffix(line, "\n"))
		}
		if err != nil {
			p.end("")
			if err == io.EOF {
				err = nil
			}
			return p.all, err
		}
	}
}

// reader reads the tests of one package after the other.
type reader struct {
	show  Verbosity
	write func(string)
	all   Summary

	now     string              // the test that speaks
	said    map[string][]string // by test
	results []result
	text    []string // all that the package said, without the lines of the run itself
	bad     bool
}

// result is what became of one test.
type result struct{ verdict, test string }

func (p *reader) line(line string) {
	if m := began.FindStringSubmatch(line); m != nil {
		p.now = m[2]
		return
	}
	if m := ended.FindStringSubmatch(line); m != nil {
		p.results = append(p.results, result{m[1], m[2]})
		p.text = append(p.text, line)
		p.bad = p.bad || m[1] == "FAIL"
		return
	}
	switch m := verdict.FindStringSubmatch(line); {
	case line == "PASS" || line == "FAIL":
		p.bad = p.bad || line == "FAIL"
	case m != nil && strings.Contains(m[2], "/"):
		p.bad = p.bad || m[1] == "FAIL"
		p.end(line)
	default:
		p.said[p.now] = append(p.said[p.now], line)
		p.text = append(p.text, line)
	}
}

// end ends a package, of which line is what the go command says.
func (p *reader) end(line string) {
	var piece []string
	if p.bad || p.show == Logs || line == "" {
		piece = p.text
	}
	if line != "" && !strings.HasSuffix(line, "[no test files]") {
		piece = append(piece, line)
	}
	if len(piece) > 0 {
		p.write(strings.Join(piece, "\n") + "\n")
	}
	if line != "" || len(p.text) > 0 { // else it is the FAIL below all packages
		p.count(line)
	}
	p.now, p.said, p.results, p.text, p.bad = "", map[string][]string{}, nil, nil, false
}

// count counts the tests of a package, of which line is what the go command says.
func (p *reader) count(line string) {
	failed := 0
	for _, r := range p.results {
		if p.hasParts(r) {
			continue
		}
		switch r.verdict {
		case "PASS":
			p.all.Passed++
		case "FAIL":
			failed++
			p.complain(r.test, p.said[r.test])
		case "SKIP":
			p.all.Skipped = append(p.all.Skipped, Skip{r.test, reason(p.said[r.test])})
		}
	}
	if p.bad && failed == 0 { // as where it does not build, or ends early
		failed = 1
		p.complain(strings.Join(strings.Fields(line), " "), nil)
	}
	p.all.Failed += failed
}

// complain keeps what a test said that failed, or what its package did if that is nothing: from a
// panic on, as of tests that took too long.
func (p *reader) complain(test string, said []string) {
	if len(said) == 0 {
		said = p.text
		panicked := func(line string) bool { return strings.HasPrefix(line, "panic: ") }
		if i := slices.IndexFunc(said, panicked); i >= 0 {
			said = said[i:min(i+most, len(said))]
		}
	}
	if n := len(p.all.Failures); n > 0 && p.all.Failures[n-1].Test == test {
		return // a fuzz test, which go test tells of twice
	}
	p.all.Failures = append(p.all.Failures, Failure{test, said})
}

// hasParts reports whether the parts of a test tell what there is to tell of it.
func (p *reader) hasParts(whole result) bool {
	return slices.ContainsFunc(p.results, func(part result) bool {
		return strings.HasPrefix(part.test, whole.test+"/") && (whole.verdict != "FAIL" || part.verdict == "FAIL")
	})
}

// reason returns what a test said last before it was skipped.
func reason(said []string) string {
	for i, line := range slices.Backward(said) {
		if where := place.FindString(line); where != "" {
			words := []string{line[len(where):]}
			for _, more := range said[i+1:] {
				words = append(words, strings.TrimSpace(more))
			}
			return strings.TrimSpace(strings.Join(words, " "))
		}
	}
	return "no reason was given"
}
