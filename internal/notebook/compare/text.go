package compare

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// A token is a word of a line.
type token struct {
	kind  kind
	text  string
	value float64 // of a number
	// digit is the unit of a number's last digit, 0 for an integer.
	digit float64
}

type kind int

const (
	exact kind = iota // a word, or a sign
	number
	varying // a duration, a clock time, a rate, an address
	rule    // a rule of a table, as long as the table is wide
)

const (
	unitOfTime = `(?:ns|µs|μs|us|ms|s|sec|min|h|seconds?|minutes?|hours?)\b`
	decimal    = `\d+(?:\.\d+)?`
)

// tokens has a group for each kind except exact.
var tokens = regexp.MustCompile(
	`(` + strings.Join([]string{
		`0x[0-9a-f]{6,}\b`, // an address
		// A time of the day, with an optional date before it and a zone after it.
		`(?:\d{4}[-/]\d\d[-/]\d\d[T ])?\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d\b| [+-]\d{4}\b)?(?: [A-Z]{3,4}\b)?(?: m=[+-][\d.]+)?`,
		decimal + ` ?[A-Za-z]*/(?:s|sec|second|min|minute)\b`, // a rate
		`(?:\d+h)?(?:\d+m)?` + decimal + ` ?` + unitOfTime,
		`seconds:?[ \t]+` + decimal, // as in reports
	}, `|`) + `)` +
		`|([-─═=_]{3,})` +
		`|\d+\.\d+(?:\.\d+)+` + // a version
		`|([+-−]?(?:(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?)` +
		`|[\pL_](?:[\pL\pN_.]*[\pL\pN_])?|\S`)

// tokensOf returns the tokens of a line.
func tokensOf(line string) []token {
	var all []token
	for _, at := range tokens.FindAllStringSubmatchIndex(line, -1) {
		t := token{text: line[at[0]:at[1]]}
		switch {
		case at[2] >= 0:
			t.kind = varying
		case at[4] >= 0:
			t.kind = rule
		case at[6] >= 0:
			t = numberOf(t.text)
		}
		all = append(all, t)
	}
	return all
}

// numberOf parses a printed number.
func numberOf(text string) token {
	plain := strings.ReplaceAll(strings.ReplaceAll(text, ",", ""), "−", "-")
	v, err := strconv.ParseFloat(plain, 64)
	if err != nil {
		return token{text: text} // beyond what a float64 holds
	}
	t := token{kind: number, text: text, value: v}
	mantissa, exponent, scientific := strings.Cut(strings.ToLower(plain), "e")
	_, fraction, decimals := strings.Cut(mantissa, ".")
	if scientific || decimals {
		e, err := strconv.Atoi(exponent)
		if err != nil {
			e = 0 // there is none
		}
		t.digit = math.Pow10(e - len(fraction))
	}
	return t
}

// noise is the remainder of zero after rounding errors.
const noise = 1e-12

// deviation returns the relative tolerance that makes two numbers equal. It is 0 for numbers that
// differ by one in the last digit, unless both are integers: rounding can separate numbers that are
// nearly equal.
func deviation(a, b token) float64 {
	d := math.Abs(a.value - b.value)
	largest := max(math.Abs(a.value), math.Abs(b.value))
	digit := max(a.digit, b.digit)
	const rounding = 1e-9 // of the difference itself
	if a.value == b.value || largest <= noise || digit > 0 && d <= digit*(1+rounding) {
		return 0
	}
	return d / largest
}

// line compares two lines. If they are equal except for numbers, it returns the largest deviation
// of these.
func (m *measure) line(a, b []token) (same bool, largest float64, comparable bool) {
	if len(a) != len(b) {
		return false, 0, false
	}
	for i := range a {
		x, y := a[i], b[i]
		switch {
		case x.kind != y.kind, x.kind == exact && x.text != y.text:
			return false, 0, false
		case x.kind != number || x.text == y.text:
		case m.tolerance == 0:
			// Then the last digit counts, too.
			largest = max(largest, math.Abs(x.value-y.value)/max(math.Abs(x.value), math.Abs(y.value), noise))
		default:
			largest = max(largest, deviation(x, y))
		}
	}
	return largest <= m.tolerance, largest, true
}

// lines is a text split into lines.
type lines struct {
	text   []string
	tokens [][]token
}

func linesOf(text string) lines {
	var l lines
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\n")
		l.text = append(l.text, line)
		l.tokens = append(l.tokens, tokensOf(line))
	}
	for len(l.text) > 0 && l.text[len(l.text)-1] == "" {
		l.text, l.tokens = l.text[:len(l.text)-1], l.tokens[:len(l.tokens)-1]
	}
	return l
}

// text compares two texts line by line.
func (m *measure) text(stored, now string) []string {
	if stored == now {
		return nil
	}
	a, b := linesOf(stored), linesOf(now)
	same := len(a.text) == len(b.text)
	words := !same
	for i := range min(len(a.text), len(b.text)) {
		equal, largest, comparable := m.line(a.tokens[i], b.tokens[i])
		if equal {
			continue
		}
		same = false
		if m.largest = max(m.largest, largest); !comparable {
			words = true
		}
	}
	if same {
		return nil
	}
	m.words = m.words || words
	// A line that is equal within the tolerance is shown as stored, so that the diff omits it.
	shown := slices.Clone(b.text)
	next := 0
	for i := range shown {
		j := slices.IndexFunc(a.tokens[next:], func(t []token) bool { equal, _, _ := m.line(t, b.tokens[i]); return equal })
		if j >= 0 {
			shown[i] = a.text[next+j]
			next += j + 1
		}
	}
	return diff(a.text, shown)
}

// diff returns the lines of the unified diff of two texts.
func diff(a, b []string) []string {
	text := func(lines []string) string {
		if len(lines) == 0 {
			return ""
		}
		return strings.Join(lines, "\n") + "\n"
	}
	before := text(a)
	edits := udiff.Lines(before, text(b))
	const around = 1 // a line of context names the columns or what stands above
	unified, err := udiff.ToUnified("", "", before, edits, around)
	if err != nil { // edits of the same text always apply
		return slices.Concat(prefixed("-", before), prefixed("+", text(b)))
	}
	all := strings.Split(strings.TrimRight(unified, "\n"), "\n")
	if len(all) > 2 {
		all = all[2:] // without the names of files
	}
	// For a single place its position does not matter.
	if places := slices.DeleteFunc(slices.Clone(all), func(s string) bool { return !strings.HasPrefix(s, "@@") }); len(places) == 1 {
		all = slices.DeleteFunc(all, func(s string) bool { return strings.HasPrefix(s, "@@") })
	}
	return all
}
