package engine_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/hierml/notebook/internal/testrun"
	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/stdlib"
)

// TestCutPrograms runs programs that are cut into cells: their declarations are spread over cells
// in any order that Go allows, come again with changes, and their values cross cells. Each cell
// prints what the Go program prints in its place.
func TestCutPrograms(t *testing.T) {
	testrun.LeaveOutShort(t)
	if enginetest.Raced {
		t.Skip("the race detector sees the same in other tests")
	}
	var wants []func() [][]string
	number := programCount(40)
	for first := 0; first < number; first += together {
		wants = append(wants, sync.OnceValue(func() [][]string { return cutWants(t, newCuts(first, number)) }))
	}
	for _, mode := range []program.Mode{program.CompiledMode, program.InterpretedMode} {
		t.Run(mode.String(), func(t *testing.T) {
			r := &cutRun{mode: mode, reasons: map[string][]uint64{}}
			t.Cleanup(func() { r.report(t) })
			for i, wants := range wants {
				programs := newCuts(i*together, number)
				t.Run(fmt.Sprint(programs[0].seed), func(t *testing.T) {
					t.Parallel()
					r.batch(t, newCuts(i*together, number), wants())
				})
			}
		})
	}
}

// newCuts writes the programs of a batch.
func newCuts(first, number int) (programs []cutProgram) {
	for i := first; i < min(first+together, number); i++ {
		programs = append(programs, newCut(*randomSeed+uint64(i)))
	}
	return programs
}

// A cutRun runs programs in one mode, and counts what comes of them.
type cutRun struct {
	mode program.Mode

	sessions atomic.Int64 // every second one says what cells wait

	mu      sync.Mutex
	ran     int
	wrong   []uint64            // seeds
	reasons map[string][]uint64 // the seeds of refused programs
}

const (
	// inCells is how many programs run side by side: their first cells are one, and so on.
	inCells = 15
	// inSession is how many programs share a session, whose process is not replaced by another.
	inSession = 30
	// shrunkWrong is how many of the programs that print something else are made smaller.
	shrunkWrong = 5
)

func (r *cutRun) begin(t *testing.T) *notebook {
	n := newWorkerNotebook(t, r.mode)
	n.ahead = r.sessions.Add(1)%2 == 0
	n.printed("%strict on", nil)
	return n
}

// batch runs programs that should print what wants says.
func (r *cutRun) batch(t *testing.T, programs []cutProgram, wants [][]string) {
	if slices.ContainsFunc(wants, func(want []string) bool { return want == nil }) {
		t.Fatal("the generator has written a program that Go does not run")
	}
	for session := range slices.Chunk(programs, inSession) {
		t.Run(fmt.Sprint(session[0].seed), func(t *testing.T) {
			n := r.begin(t)
			for few := range slices.Chunk(session, inCells) {
				c, want := merged(few, wants)
				wantEach := wants[:len(few)]
				wants = wants[len(few):]
				wrong, _ := c.differs(n, want)
				r.mu.Lock()
				r.ran += len(few)
				r.mu.Unlock()
				if wrong == "" {
					continue
				}
				n = r.begin(t)
				found := false
				for i, c := range few {
					found = r.try(t, c, wantEach[i]) || found
				}
				if !found && !r.try(t, c, want) {
					t.Errorf("the programs from %d on are right alone, but not after others: one %s", few[0].seed, wrong)
				}
			}
		})
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	t.Logf("%d programs ran, %d are wrong, %d kinds of refusals", r.ran, len(r.wrong), len(r.reasons))
}

// try runs a program in a session of its own, and reports whether it fails. It shows the first
// smallest programs that do.
func (r *cutRun) try(t *testing.T, c cutProgram, want []string) bool {
	message, reason := r.alone(t, c, want)
	if message == "" {
		return false
	}
	r.mu.Lock()
	shrinks := false
	if reason != "" {
		shrinks = r.reasons[reason] == nil
		r.reasons[reason] = append(r.reasons[reason], c.seed)
	} else {
		shrinks = len(r.wrong) < shrunkWrong
		r.wrong = append(r.wrong, c.seed)
	}
	r.mu.Unlock()
	say := t.Errorf
	if r.mode == program.InterpretedMode && reason != "" && !strings.HasPrefix(reason, "CompileError") && !strings.HasPrefix(reason, "InternalError") {
		say, shrinks = t.Logf, false // the interpreter cannot do all that Go does
	}
	say("program %d %s", c.seed, message)
	if shrinks && !*keepWhole {
		say("the smallest of program %d:\n%s", c.seed, r.shrunk(t, c, reason))
	}
	return true
}

// alone runs a program in a session of its own.
func (r *cutRun) alone(t *testing.T, c cutProgram, want []string) (wrong, reason string) {
	t.Run("alone", func(t *testing.T) { wrong, reason = c.differs(r.begin(t), want) })
	return wrong, reason
}

// shrunk returns the smallest program that fails in the same way, and how it does.
func (r *cutRun) shrunk(t *testing.T, c cutProgram, reason string) (text string) {
	for {
		smaller := slices.DeleteFunc(c.smaller(), func(s cutProgram) bool { return !s.checks() })
		wants := make([][]string, len(smaller))
		if reason == "" {
			wants = cutWants(t, smaller)
		}
		if !slices.ContainsFunc(smaller, func(s cutProgram) bool {
			want := wants[0]
			wants = wants[1:]
			if reason == "" && want == nil {
				return false
			}
			wrong, otherwise := r.alone(t, s, want)
			if wrong == "" || reason != otherwise {
				return false
			}
			c, text = s, s.String()+"\n"+wrong
			return true
		}) {
			return text
		}
	}
}

func (r *cutRun) report(t *testing.T) {
	t.Logf("%d programs ran, %d are wrong: %v", r.ran, len(r.wrong), r.wrong)
	for _, reason := range slices.Sorted(maps.Keys(r.reasons)) {
		seeds := r.reasons[reason]
		t.Logf("%d refused: %s %v", len(seeds), reason, seeds[:min(5, len(seeds))])
	}
}

// merged returns programs as one, whose first cell is the first ones of all and so on, and what it
// prints.
func merged(programs []cutProgram, wants [][]string) (all cutProgram, want []string) {
	all.seed = programs[0].seed
	for k, c := range programs {
		for i, cell := range c.cells {
			if i == len(all.cells) {
				all.cells, want = append(all.cells, nil), append(want, "")
			}
			all.cells[i] = append(slices.Clip(all.cells[i]), cell...)
			want[i] += wants[k][i]
		}
	}
	return all, want
}

// cutWants returns what the cells of programs print as Go programs, which are built as one.
func cutWants(t *testing.T, programs []cutProgram) (wants [][]string) {
	t.Helper()
	if len(programs) == 0 {
		return nil
	}
	var tops, calls strings.Builder
	for i, c := range programs {
		top, main := c.program()
		text := fmt.Sprintf("%sfunc main%d() {\n%s}\n\n", top, i, main)
		if i > 0 && c.seed == programs[0].seed { // of which the names are the same
			text = regexp.MustCompile(`\b([A-Za-z]+\d+)([a-z])`).ReplaceAllString(text, fmt.Sprintf("${1}0%d$2", i))
		}
		tops.WriteString(text)
		fmt.Fprintf(&calls, "\talone(main%d)\n", i)
	}
	tops.WriteString("func alone(program func()) {\n\tdefer func() {\n\t\tif r := recover(); r != nil {\n\t\t\tfmt.Print(\"\\x02\", r)\n\t\t}\n\t\tfmt.Print(\"\\x00\")\n\t}()\n\tprogram()\n}\n\n")
	text, _ := printedByGo(t, importing(tops.String()+"func main() {\n"+calls.String()+"}\n"))
	if half := len(programs) / 2; strings.Count(text, "\x00") < len(programs) { // one ends the process, or does not compile
		if half == 0 {
			t.Logf("%s\n%s", text, programs[0])
			return [][]string{nil}
		}
		return append(cutWants(t, programs[:half]), cutWants(t, programs[half:])...)
	}
	text = regexp.MustCompile(`(\d[a-z])_2\b`).ReplaceAllString(text, "$1")
	for _, printed := range strings.Split(text, "\x00") {
		if strings.Contains(printed, "\x02") { // it panics
			wants = append(wants, nil)
			continue
		}
		wants = append(wants, strings.Split(printed, cutMark)[1:])
	}
	return wants
}

// differs runs the cells in a session, and says how what they print differs from what they should,
// and why one was refused if that is the reason.
func (c cutProgram) differs(n *notebook, want []string) (wrong, reason string) {
	for i, cell := range c.texts() {
		n.waits(c.texts()[i+1:])
		got := n.printed(cell, func() []string { return n.next })
		// The interpreter finds some of what it does not do when it comes there.
		for _, says := range []string{"refused: ", "panic: hierml: "} {
			if _, refused, ok := strings.Cut(got, says); ok {
				return "is refused: " + refused, cutReason(refused)
			}
		}
		if i < len(want) && got != want[i] {
			return fmt.Sprintf("prints in cell %d\n%s\nand not\n%s", i+1, got, want[i]), ""
		}
	}
	return "", ""
}

// cutReason returns the kind of a refusal: its message without what belongs to the one program.
func cutReason(refused string) string {
	first, _, _ := strings.Cut(refused, "\n")
	return cutOwn.ReplaceAllString(first, "$2")
}

var cutOwn = regexp.MustCompile(`Cell \[\d+\](:\d+:\d+)?: |\b\d+\.go:\d+:\d+: |\b\d+[a-z]?\b|(\w)\d+[a-zˑ]\b`)

func (c cutProgram) String() string {
	return strings.Join(c.texts(), "\n---\n")
}

// checks reports whether the Go program compiles.
func (c cutProgram) checks() bool {
	top, main := c.program()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", importing(top+"func main() {\n"+main+"}\n"), 0)
	if err == nil {
		_, err = (&types.Config{Importer: stdlib.Importer}).Check("main", fset, []*ast.File{file}, nil)
	}
	return err == nil
}

// smaller returns programs that lack a topic, a cell or a piece, or have two cells as one.
func (c cutProgram) smaller() (all []cutProgram) {
	without := func(left func(cell int, p *piece) bool) {
		s := cutProgram{seed: c.seed}
		gone := false
		for i, cell := range c.cells {
			kept := slices.DeleteFunc(slices.Clone(cell), func(p *piece) bool { return left(i, p) })
			gone = gone || len(kept) < len(cell)
			if len(kept) > 0 {
				s.cells = append(s.cells, kept)
			}
		}
		if gone && len(s.cells) > 0 {
			all = append(all, s)
		}
	}
	topics := map[int]bool{}
	for _, cell := range c.cells {
		for _, p := range cell {
			topics[p.topic] = true
		}
	}
	for topic := range topics {
		without(func(_ int, p *piece) bool { return p.topic == topic })
	}
	for i := range c.cells {
		without(func(cell int, _ *piece) bool { return cell == i })
	}
	for i, cell := range c.cells {
		for _, p := range cell {
			without(func(cell int, q *piece) bool { return cell == i && p == q })
		}
	}
	return all
}
