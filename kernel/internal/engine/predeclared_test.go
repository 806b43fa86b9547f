package engine_test

import (
	"fmt"
	"go/types"
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/program"
)

// plainNames is what the statements below are made of, so that they mention nothing predeclared.
const plainNames = `type number int
func pipe(values ...number) chan number {
	c := make(chan number, 9)
	for _, v := range values {
		c <- v
	}
	return c
}
func up(r rune) rune { return r + 1 }
func order(a, b number) int { return int(a - b) }
func joined(parts ...any) (string, error) { return fmt.Sprint(parts...), nil }
func pair() (number, error) { return 7, nil }
func nothing() error { return nil }
func say(n number, really bool, done chan number) { if really { done <- n } }
func is(n number) (any, bool) { return n, n > 0 }
func text(n number, parts ...string) string { return string(rune('A' + later())) }
func later() number { return 1 }
list := []number{3, 1, 2}`

// plainStatements have a guard of each kind.
const plainStatements = `c := pipe(1, 2)
c <- 3
x := <-c
for v := range c {
	x += v
	if v > 2 {
		break
	}
}
y, ok := <-pipe(5)
select {
case c <- 4:
case v := <-pipe():
	x += v
}
x += <-c
go say(8, x > 0, c)
x += <-c
func() {
	defer say(9, x > 0, c)
	for i := 0; i < 2; i++ {
		x++
	}
}()
x += <-c
slices.SortFunc(list, order)
upper := strings.Map(up, "abc")
`

// leftOutStatements leave out errors.
const leftOutStatements = `nothing()
pair()
z := pair()
z = pair()
`

const plainPrint = `fmt.Println(x, y, ok, upper, list)
`

const plainOutput = "29 5 true bcd [1 2 3]\n"

// TestPredeclaredNames declares all that Go predeclares anew, in each way and place, and runs code
// with every kind of guard among it.
func TestPredeclaredNames(t *testing.T) {
	inModes(t, []program.Mode{program.InterpretedMode, program.CompiledMode}, func(t *testing.T, mode program.Mode) {
		declarations := map[string]string{
			"variables": "var %s = 3", "constants": "const %s = 3", "functions": "func %s() {}", "types": "type %s struct{ v struct{} }",
			"aliases": "type %s = struct{ v struct{} }", "slices": "type %s []struct{}",
		}
		all := func(format string) string {
			var out strings.Builder
			for _, name := range types.Universe.Names() {
				fmt.Fprintf(&out, format+"\n", name)
			}
			return out.String()
		}
		for kind, format := range declarations {
			t.Run(kind, func(t *testing.T) {
				enginetest.SkipGoroutines(t, plainStatements)
				n := newWorkerNotebook(t, mode)
				for i, cell := range []string{
					plainNames,
					// What calls later is declared again, among the new names.
					all(format) + "func later() number { return 2 }\n" + plainStatements + leftOutStatements + plainPrint,
					plainStatements + leftOutStatements + plainPrint + "x",
					"is(3)", "joined(x, y)", "text(0)",
				} {
					shown, out, err := n.run(cell)
					want := []string{"", plainOutput, plainOutput + "29", "3 true", "29 5", "C"}[i]
					if err != nil || out+shown != want {
						t.Errorf("cell %d: %q %q %v, want %q", i+1, out, shown, err, want)
					}
				}
			})
		}
		for kind, format := range map[string]string{
			"local variables": "%[1]s := 3; _ = %[1]s", "local constants": "const %s = 3", "local types": "type %s struct{}",
			"parameters": "func(%s struct{}) {}(struct{}{})", "labels": "goto %[1]s; %[1]s:",
		} {
			t.Run(kind, func(t *testing.T) {
				enginetest.SkipGoroutines(t, plainStatements)
				n := newWorkerNotebook(t, mode)
				local := all(format)
				if kind == "local variables" {
					local += "number := 3\n_ = number\n"
				}
				for i, cell := range []string{
					plainNames,
					"{\n" + local + plainStatements + leftOutStatements + "_ = z\n" + plainPrint + "}",
					"func whole() {\n" + local + plainStatements + plainPrint + "}\nwhole()",
				} {
					shown, out, err := n.run(cell)
					want := []string{"", plainOutput, plainOutput}[i]
					if err != nil || out+shown != want {
						t.Errorf("cell %d: %q %q %v, want %q", i+1, out, shown, err, want)
					}
				}
			})
		}
	})
}
