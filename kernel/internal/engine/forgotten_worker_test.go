package engine_test

import (
	"testing"

	"github.com/hierml/notebook/kernel/internal/program"
)

// TestForgottenErrorsKeepVariables assigns what a call returns beside an error that nobody takes:
// not if that is not nil.
func TestForgottenErrorsKeepVariables(t *testing.T) {
	inModes(t, []program.Mode{program.InterpretedMode, program.CompiledMode}, func(t *testing.T, mode program.Mode) {
		n := newWorkerNotebook(t, mode)
		if _, _, err := n.run(`n := strconv.Atoi("42"); s := []int{1}; m := map[string]int{"a": 2}`); err != nil {
			t.Fatal(err)
		}
		for _, cell := range []string{
			`n = strconv.Atoi("x")`,
			`n := strconv.Atoi("x")`,
			`var n = strconv.Atoi("x")`,
			`for range 2 { n = strconv.Atoi("x") }`,
			`if true { k := 3; k = strconv.Atoi("x"); n = k }`,
			`s[0] = strconv.Atoi("x")`,
			`m["a"] = strconv.Atoi("x")`,
		} {
			if _, _, err := n.run(cell); err == nil {
				t.Errorf("%s succeeds", cell)
			}
			if shown, _, err := n.run(`fmt.Sprint(n, s, m)`); shown != "42 [1] map[a:2]" || err != nil {
				t.Errorf("after %s: %s, %v", cell, shown, err)
			}
		}
		if shown, _, err := n.run("for _, text := range []string{\"5\", \"6\"} { n = strconv.Atoi(text) }\nn"); shown != "6" || err != nil {
			t.Errorf("%s, %v", shown, err)
		}
	})
}

// TestForgottenErrorsWithinCompiled does so in compiled cells.
func TestForgottenErrorsWithinCompiled(t *testing.T) {
	n := newWorkerNotebook(t, program.CompiledMode)
	for _, c := range withinExpressions {
		t.Run(c.cell, func(t *testing.T) { c.run(t, n) })
	}
}
