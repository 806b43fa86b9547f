package pipeline_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

var update = flag.Bool("update", false, "write python/hierml/_unicode.py anew")

// root is the folder of the package for Python.
var root = filepath.Join("..", "..", "python")

// TestPythonHasTheseLetters holds the tables of the package for Python to Go's package unicode, by
// which texts become features: those of another Python differ by the version of Unicode.
func TestPythonHasTheseLetters(t *testing.T) {
	file := filepath.Join(root, "hierml", "_unicode.py")
	want := unicodeTables()
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not that of Unicode %s, which Go has; go test ./hierml/pipeline -run Letters -update writes it", file, unicode.Version)
	}
}

// unicodeTables returns the file.
func unicodeTables() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\"\"\"Letters, digits, marks, white space and lower case as Go has them, of Unicode %s.\n\n", unicode.Version)
	b.WriteString("Written by go test ./hierml/pipeline -run Letters -update. Ranges are the first and the last code point.\n\"\"\"\n\nCATEGORIES = {\n")
	for _, category := range []string{"L", "Ll", "Lu", "M", "N", "Nd", "P"} {
		fmt.Fprintf(&b, "    %q: (\n", category)
		writeTuples(&b, "        ", ranges(func(r rune) bool { return unicode.Is(unicode.Categories[category], r) }))
		b.WriteString("    ),\n")
	}
	b.WriteString("}\n\nSPACES = (\n")
	writeTuples(&b, "    ", ranges(unicode.IsSpace))
	b.WriteString(")\n\n# First and last code point, the step between them, and what is added in lower case.\nLOWER = (\n")
	writeTuples(&b, "    ", lowered())
	b.WriteString(")\n")
	return b.String()
}

// ranges returns the first and the last of the runs of what is.
func ranges(is func(rune) bool) [][]int {
	var all [][]int
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !is(r) {
			continue
		}
		if n := len(all); n > 0 && all[n-1][1] == int(r)-1 {
			all[n-1][1] = int(r)
			continue
		}
		all = append(all, []int{int(r), int(r)})
	}
	return all
}

// lowered returns runs of code points, one or two apart, with the same difference to lower case.
func lowered() [][]int {
	var all [][]int
	for r := 0; r <= unicode.MaxRune; r++ {
		delta := int(unicode.ToLower(rune(r))) - r
		if delta == 0 {
			continue
		}
		if n := len(all); n > 0 && all[n-1][3] == delta {
			last := all[n-1]
			if step := r - last[1]; step == last[2] || last[0] == last[1] && step <= 2 {
				last[1], last[2] = r, step
				continue
			}
		}
		all = append(all, []int{r, r, 1, delta})
	}
	return all
}

// writeTuples writes tuples in lines of at most a hundred bytes or so.
func writeTuples(b *strings.Builder, indent string, tuples [][]int) {
	line := indent
	for _, tuple := range tuples {
		text := strings.ReplaceAll(fmt.Sprint(tuple), " ", ", ")
		text = "(" + text[1:len(text)-1] + "), "
		if len(line)+len(text) > 112 {
			b.WriteString(strings.TrimSuffix(line, " ") + "\n")
			line = indent
		}
		line += text
	}
	b.WriteString(strings.TrimSuffix(line, " ") + "\n")
}
