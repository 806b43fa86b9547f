package pipeline_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

var update = flag.Bool("update", false, "write python/hierml/_unicode.py anew")

// root is the folder of the package for Python.
var root = filepath.Join("..", "..", "python")

// TestPythonHasTheseLetters holds the tables of the package for Python to Go's package unicode,
// by which texts become features: those of another Python differ by the version of Unicode. The
// tables are those of the newest supported Go; one with an older Unicode may lack characters that
// were added since, and differ in one other.
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
	if _, rest, _ := strings.Cut(string(got), "of Unicode "); !strings.HasPrefix(rest, unicode.Version) && rest > unicode.Version {
		checkOlder(t, string(got))
	} else if string(got) != want {
		t.Errorf("%s is not that of Unicode %s, which Go has; go test ./hierml/pipeline -run Letters -update writes it", file, unicode.Version)
	}
}

// checkOlder compares the file, which is of a newer Unicode than that of this Go, with package
// unicode at the characters that this one knows.
func checkOlder(t *testing.T, file string) {
	section := regexp.MustCompile(`(?s)(\w+)"?(?: =|:) \((.*?)\n *\),?\n`)
	tuple := regexp.MustCompile(`\(([0-9, -]+)\)`)
	number := regexp.MustCompile(`-?[0-9]+`)
	sections := section.FindAllStringSubmatch(file, -1)
	if len(sections) != 9 {
		t.Fatalf("the file has %d tables", len(sections))
	}
	for _, s := range sections {
		values := map[rune]int{}
		for _, tuple := range tuple.FindAllString(s[2], -1) {
			var n []int
			for _, text := range number.FindAllString(tuple, -1) {
				i, err := strconv.Atoi(text)
				if err != nil {
					t.Fatal(err)
				}
				n = append(n, i)
			}
			step, value := 1, 1
			if len(n) == 4 {
				step, value = n[2], n[3]
			}
			for r := n[0]; r <= n[1]; r += step {
				values[rune(r)] = value
			}
		}
		for r := rune(0); r <= unicode.MaxRune; r++ {
			want := 0
			switch {
			case s[1] == "LOWER":
				want = int(unicode.ToLower(r) - r)
			case s[1] == "SPACES" && unicode.IsSpace(r), s[1] != "SPACES" && unicode.Is(unicode.Categories[s[1]], r):
				want = 1
			}
			const pharyngeal = 0x295 // a letter without case since Unicode 16
			if values[r] != want && !unicode.Is(unicode.Cn, r) && !(s[1] == "Ll" && r == pharyngeal) {
				t.Errorf("%s: %U has %d, want %d", s[1], r, values[r], want)
			}
		}
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
