package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/program"
)

// chain returns a line for each of n numbers, with # in place of the number and @ of the next.
func chain(n int, line string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.NewReplacer("#", fmt.Sprint(i), "@", fmt.Sprint(i+1)).Replace(line) + "\n")
	}
	return b.String()
}

// TestLongConstants checks cells whose constant strings double, which no machine has the memory
// for, and some that look like them.
func TestLongConstants(t *testing.T) {
	const text, texts = "a constant string of more than 16 MiB", "have more than 128 MiB together"
	for _, c := range []struct{ cell, want string }{
		{"const a0 = \"x\"\n" + chain(40, "const a@ = a# + a#") + "len(a40)", text},
		{"func f() int {\nconst a0 = \"x\"\n" + chain(40, "const a@ = a# + (a#)") + "return len(a40)\n}", text},
		{"type S string\nconst a0 = S(\"x\")\n" + chain(40, "const a@ = S(string(a#) + string(a#))"), text},
		{"const (\na0 = \"x\"\n" + chain(40, "a@ = a# + a#") + ")", text},
		{"const a0 = \"x\"\n" + chain(21, "const a@ = a# + a#") + chain(100, "s# := a21 + \"#\""), texts},

		{"const a0 = 1\n" + chain(60, "const a@ = a# + a#"), ""},
		{"const a0 = \"x\"\n" + chain(20, "const a@ = a# + a#") + "len(a20)", ""},
		{"a0 := \"x\"\n" + chain(40, "a@ := a# + a#"), ""},
		{"const a0 = \"x\"\n" + chain(2000, "const a@ = a# + \"x\""), ""},
	} {
		_, err := enginetest.NewSession().Check(program.Cell{Number: 1, Source: c.cell})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%.100s\ngives %.300v, want an error with %q", c.cell, err, c.want)
		}
	}
}

// TestLongConstantsOfSession declares, cell after cell, a constant that doubles that of the cell
// before.
func TestLongConstantsOfSession(t *testing.T) {
	session := enginetest.NewSession()
	_, err := session.Lower(program.Cell{Number: 1, Source: "const a0 = \"x\""})
	for i := 0; i < 40 && err == nil; i++ {
		_, err = session.Lower(program.Cell{Number: i + 2, Source: fmt.Sprintf("const a%d = a%d + a%[2]d", i+1, i)})
	}
	if err == nil || !strings.Contains(err.Error(), "a constant string of more than") {
		t.Errorf("%.300v", err)
	}
}
