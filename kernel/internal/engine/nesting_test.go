package engine_test

import (
	"strings"
	"testing"
)

// TestDeepNesting asks about text that would take minutes, or that the parser
// gives up on.
func TestDeepNesting(t *testing.T) {
	failOnFaults(t)
	e := newSession(t)
	for _, bracket := range []string{"[", "{", "(", "func(){", "T{"} {
		source := strings.Repeat(bracket, 20000) + "strings"
		if got := e.Complete(source, len(source)); len(got.Candidates) > 0 {
			t.Errorf("%s: %+v", bracket, got)
		}
		if got := e.Inspect(source, len(source), 0); got != nil {
			t.Errorf("%s: %+v", bracket, got)
		}
	}
}

// TestTooDeep runs cells that go/types would take long for.
func TestTooDeep(t *testing.T) {
	n := newNotebook(t)
	for _, source := range []string{
		"x := " + strings.Repeat("(", 20000) + "1" + strings.Repeat(")", 20000),
		"x := " + strings.Repeat("[]any{", 20000) + strings.Repeat("}", 20000),
		"var x " + strings.Repeat("[]", 20000) + "int",
		"var x " + strings.Repeat("map[int]", 20000) + "int",
	} {
		_, _, err := n.run(source)
		if err == nil || !strings.Contains(err.Error(), "nested more than 500 deep") {
			t.Errorf("%.20s: %.200v", source, err)
		}
	}
	wide := "x := [][]int{" + strings.Repeat("{1},", 5000) + "}\nlen(x)"
	if value, _, err := n.run(wide); err != nil || value != "5000" {
		t.Errorf("%s, %v", value, err)
	}
	sum := "a := [][]int{{1}}\na[0][0]" + strings.Repeat(" + a[0][0]", 600)
	if value, _, err := n.run(sum); err != nil || value != "601" {
		t.Errorf("%s, %v", value, err)
	}
}

// TestOpenComment runs cells that end within a comment, or seem to.
func TestOpenComment(t *testing.T) {
	n := newNotebook(t)
	for _, source := range []string{"/* a", "x := 1\n/* a", "x := 1 /* a\ny := 2", "x := 1; /* a"} {
		if _, _, err := n.run(source); err == nil || !strings.Contains(err.Error(), "comment not terminated") {
			t.Errorf("%q: %v", source, err)
		}
	}
	for _, source := range []string{"/* a */", "x := 1 // /* a", "x := `/* a`", "x := 1 /* a */ /* b */", "// /*"} {
		if _, _, err := n.run(source); err != nil {
			t.Errorf("%q: %v", source, err)
		}
	}
}
