package engine_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/program"
)

// TestLongFailures ends cells by texts of megabytes. Their start and their end are shown, and the
// variables are kept.
func TestLongFailures(t *testing.T) {
	const (
		declared = `n := 8 << 20
long := func() string { return "start" + strings.Repeat("é", n) + "end" }
lines := func() string { return "start" + strings.Repeat("\n", n) + "end" }
type texts []string
func (x texts) String() string { return strings.Join(x, "") }
type coded struct{ text string }
func (c *coded) Error() string { return c.text }`
		maxMessage   = program.MaxText + 200
		maxTraceback = 2*maxMessage + 4096
	)
	inModes(t, []program.Mode{program.InterpretedMode, program.CompiledMode}, func(t *testing.T, mode program.Mode) {
		n := newWorkerNotebook(t, mode)
		if _, _, err := n.run(declared); err != nil {
			t.Fatal(err)
		}
		for _, cell := range []string{
			`panic(long())`,
			`panic(lines())`,
			`panic(errors.New(long()))`,
			`panic(fmt.Errorf("start: %w: end", errors.New(long())))`,
			`panic(fmt.Errorf("start: %w", errors.Join(errors.New(long()), errors.New("end"))))`,
			`panic(&coded{long()})`,
			`panic(texts{"start", long(), "end"})`,
			`panic(struct{ a, b string }{"start", long()})`,
			`panic(bytes.NewBufferString(long()))`,
			`_ = must(1, errors.New(long()))`,
			`os.Open(long())`,
			`func() error { return &coded{long()} }()`,
			`defer func() { panic(errors.New(long())) }()` + "\n" + `panic("start")`,
			`for range 2000 { defer func() { panic(strings.Repeat("p", 2000) + "end") }() }` + "\n" + `panic("start")`,
			`for range 3 { defer func() { panic(recover()) }() }` + "\n" + `panic(long())`,
			`func() { defer func() { panic(fmt.Errorf("start: %v: end", recover())) }(); panic(long()) }()`,
			`go panic(long())` + "\n" + `select {}`,
			`slices.SortFunc([]int{2, 1}, func(a, b int) int { panic(long()) })`,
			`%time panic(long())`,
			`strconv.Atoi(long())`,
			`var x int = "` + strings.Repeat("a", 1<<20) + `"`,
			`x` + strings.Repeat("y", 1<<20) + ` + 1`,
			`%cd start` + strings.Repeat("y", 1<<20),
			`%nosuch` + strings.Repeat("y", 1<<20),
			`%%nosuch` + strings.Repeat("y", 1<<20),
			`import "start` + strings.Repeat("y", 1<<20) + `"`,
			`var s struct{ ` + strings.Repeat("y", 1<<20) + ` int } = 1`,
		} {
			label := cell[:min(len(cell), 60)]
			_, _, err := n.run(cell)
			var failed *program.Error
			if !errors.As(err, &failed) {
				t.Errorf("%s: %.200v", label, err)
				continue
			}
			size := 0
			for _, line := range failed.Traceback {
				size += len(line)
			}
			if len(failed.Message) > maxMessage || size > maxTraceback || len(failed.Name) > 100 {
				t.Errorf("%s: a name of %d bytes, a message of %d, a traceback of %d", label, len(failed.Name), len(failed.Message), size)
			}
			if all := failed.Message + strings.Join(failed.Traceback, ""); strings.Contains(cell, "long()") && !(strings.Contains(all, "start") && strings.Contains(all, "bytes left out")) {
				t.Errorf("%s: %.200s", label, all)
			}
			if strings.Contains(label, "long()))") && !strings.Contains(failed.Message, "end") {
				t.Errorf("%s: the end is %s", label, failed.Message[max(0, len(failed.Message)-200):])
			}
		}
		if shown, _, err := n.run("n"); shown != "8388608" || err != nil {
			t.Errorf("the variables are %q, %v", shown, err)
		}
	})
}

// TestLongMessages sends what the kernel does not take from its worker. The cell is told, and the
// session goes on.
func TestLongMessages(t *testing.T) {
	playInModes(t, map[string][]beat{"": {
		{cell: `kept := 3
long := strings.Repeat("x", 70<<20)
type all struct{}
func (all) MimeBundle() map[string]any {
	m := map[string]any{"text/plain": "all"}
	for i := range 10 {
		m[fmt.Sprint("text/x-", i)] = long[:8<<20-1]
	}
	return m
}`},
		{cell: "nb.NextInput(long)", notes: "next input: too long for the kernel"},
		{cell: "nb.JSON(long)", notes: "display: too long for the kernel"},
		{cell: "nb.Display(all{})", notes: "display: too long for the kernel"},
		{cell: "all{}", err: "too long for the kernel"},
		{cell: "nb.Page(all{})", notes: "page: too long for the kernel"},
		{cell: "_, err := nb.OpenComm(\"a\", map[string]string{\"b\": long}, nil)\nstrings.Contains(err.Error(), \"too long for the kernel\")", value: "true"},
		{cell: "kept", value: "3"},
	}})
}

// TestEndlessTexts ends cells by errors and values whose texts take for ever, and interrupts them.
func TestEndlessTexts(t *testing.T) {
	const declared = `kept := 3
type slow struct{}
func (slow) Error() string { fmt.Println("begun"); for {} }
type mute struct{}
func (mute) String() string { fmt.Println("begun"); select {} }`
	sessions := map[string][]beat{}
	for _, cell := range []string{
		"panic(slow{})", "panic(fmt.Errorf(\"a: %w\", slow{}))", "panic(mute{})", "func() error { return slow{} }()", "must(1, error(slow{}))",
		"slow{}", "mute{}", "go panic(slow{})\nselect {}", "defer func() { panic(slow{}) }()\npanic(1)",
	} {
		sessions[cell] = []beat{{cell: declared}, {cell: cell, stop: true, err: "nterrupted"}, {cell: "kept", value: "3"}}
	}
	playInModes(t, sessions)
}
