package engine_test

import (
	"fmt"
	"strings"
	"testing"
)

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
	labels := new(strings.Builder)
	for i := range 50000 {
		fmt.Fprintf(labels, "l%d: ", i)
	}
	for source, want := range map[string]string{
		labels.String() + "for {}":                        "nested more than 1000 deep",
		"var x " + strings.Repeat("chan ", 50000) + "int": "nested more than 1000 deep",
		"var x " + strings.Repeat("*", 50000) + "int":     "nested more than 1000 deep",
		"x := " + strings.Repeat("!", 50000) + "true":     "nested more than 1000 deep",
		"x := 1" + strings.Repeat(" + 1", 50000):          "a chain of more than 5000 operations",
		"var x any\nx" + strings.Repeat(".x()", 6000):     "a chain of more than 5000 operations",
	} {
		_, _, err := n.run(source)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20s: %.200v", source, err)
		}
	}
	labels.Reset()
	for i := range 900 {
		fmt.Fprintf(labels, "l%d: ", i)
	}
	for source, want := range map[string]string{ // not too deep
		labels.String() + "for {}":                             "declared and not used",
		"var x " + strings.Repeat("chan ", 900) + "int":        "",
		"var y = 1" + strings.Repeat(" + 1", 4900):             "",
		"if true {}" + strings.Repeat(" else if true {}", 400): "",
	} {
		_, _, err := n.run(source)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
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
