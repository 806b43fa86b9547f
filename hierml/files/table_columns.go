package files

import (
	"fmt"
	"iter"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/describe"
	"github.com/hierml/notebook/hierml/internal/textfile"
)

// columns makes columns of rows, of which some have the labels.
func (p *tableParser) columns(rows []rawColumn, labels []int) ([]dataset.Column, error) {
	columns := make([]dataset.Column, len(rows))
	guessed := guesses{of: make(map[string][]string)}
	for k := range rows {
		raw := &rows[k]
		c := &columns[k]
		c.Name = raw.name
		if slices.Contains(labels, k) {
			raw.unpack()
			c.Role, c.Words = dataset.Labels, rawWords(raw)
			continue
		}
		if err := p.column(c, raw, k, &guessed); err != nil {
			return nil, err
		}
	}
	if text := guessed.String(); text != "" {
		p.note("Text, Numbers, Nominal, Sets, Paths, Unused", "%s", text)
	}
	if text := guessed.styles(); text != "" {
		p.note("Decimal", "%s", text)
	}
	if text := guessed.missing(); text != "" {
		p.note(fmt.Sprintf("Missing: []string{%q}", none), "%s", text)
	}
	return columns, nil
}

// guesses are the kinds of columns that were found out.
type guesses struct {
	of    map[string][]string // columns by what they are
	order []string
	words map[string]int // that stand for missing values, in columns of words, with their number

	// Columns of numbers with commas, and how the first of them is written and read.
	styled  []string
	written string
	read    float64
}

func (g *guesses) add(what, column string) {
	if g.of[what] == nil {
		g.order = append(g.order, what)
	}
	g.of[what] = append(g.of[what], column)
}

// String lists the columns by what they are, as many as are readable.
func (g *guesses) String() string {
	const readable = 6
	var parts []string
	for _, what := range g.order {
		columns := g.of[what]
		names := make([]string, 0, readable+1)
		for _, name := range columns[:min(len(columns), readable)] {
			names = append(names, describe.Cut(name, 40))
		}
		if more := len(columns) - readable; more > 0 {
			names = append(names, fmt.Sprintf("%d more", more))
		}
		parts = append(parts, strings.Join(names, ", ")+" ("+what+")")
	}
	return strings.Join(parts, "; ")
}

// missing lists the words for missing values in columns of words.
func (g *guesses) missing() string {
	var parts []string
	for _, word := range slices.Sorted(maps.Keys(g.words)) {
		parts = append(parts, fmt.Sprintf("%s %q", describe.Count(g.words[word], "field", "fields"), word))
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, ", ") + " of columns of words count as missing"
}

// column sets kind, role and values of a column.
func (p *tableParser) column(c *dataset.Column, raw *rawColumn, k int, guessed *guesses) error {
	kind, role, why := p.kindOf(raw, k)
	c.Role = role
	if kind == dataset.Number || kind < 0 {
		if c.Numbers = p.plainNumbers(raw, kind < 0); c.Numbers != nil {
			c.Kind = dataset.Number
			if kind < 0 {
				guessed.add("numbers", c.Name)
			}
			return nil
		}
	}
	raw.unpack()
	words := 0
	if raw.words != nil {
		words = p.blank(raw, kind == dataset.Number, guessed)
	}
	if kind >= 0 {
		c.Kind = kind
		if like := p.like(raw.name); like != nil {
			c.Separator = like.Separator
		}
		if err := p.fill(c, raw, guessed); err != nil {
			return err
		}
		if why != "" {
			guessed.add(why, c.Name)
		}
		return nil
	}
	return p.guess(c, raw, words, guessed)
}

// unpack makes words of a packed column.
func (r *rawColumn) unpack() {
	if r.packed != nil {
		r.words, r.packed = r.packed.unpack(), nil
	}
}

// plainNumbers returns the numbers of a packed column, if all its words are numbers without commas
// or stand for missing values, and none looks like a code where that is to be found out. Otherwise
// it returns nil: then the words decide, one by one.
func (p *tableParser) plainNumbers(raw *rawColumn, guess bool) []float64 {
	if like := p.like(raw.name); raw.packed == nil || p.Decimal != 0 || like != nil && like.Decimal != 0 || p.styles[raw.name] != plainNumbers {
		return nil
	}
	var values []float64
	some := false
	for w := range raw.packed.all() {
		v := math.NaN()
		if w != "" && !(p.blanks.may(w) && p.missing(w)) {
			var ok bool
			if v, ok = plainNumbers.parse(w); !ok || guess && beginsWithZero(w) {
				return nil
			}
			some = true
		}
		if values == nil {
			values = make([]float64, 0, raw.packed.n)
		}
		values = append(values, v)
	}
	if !some {
		return nil
	}
	raw.packed = nil
	return values
}

// kindOf returns the kind and the role of a column as far as settings and its title determine them,
// and a note about it. The kind is -1 if the values must determine it.
func (p *tableParser) kindOf(raw *rawColumn, k int) (kind dataset.Kind, role dataset.Role, why string) {
	for kind, names := range [][]string{
		dataset.Nominal: p.Nominal, dataset.Text: p.Text, dataset.Number: p.Numbers, dataset.Set: p.Sets, dataset.Path: p.Paths,
	} {
		if slices.Contains(names, raw.name) {
			return dataset.Kind(kind), dataset.Feature, ""
		}
	}
	like := p.like(raw.name)
	switch {
	case slices.Contains(p.Unused, raw.name):
		return dataset.Nominal, dataset.Unused, ""
	case raw.name == p.ID:
		return dataset.Nominal, dataset.ID, ""
	case raw.name == p.Part:
		return dataset.Nominal, dataset.Part, ""
	case raw.name == p.Group:
		return dataset.Nominal, dataset.Group, ""
	case raw.name == p.Weight:
		return dataset.Number, dataset.Weight, ""
	case like != nil && like.Role != dataset.Labels:
		return like.Kind, like.Role, ""
	case p.Like != nil && p.ID == "" && strings.EqualFold(raw.name, "id"):
		return dataset.Nominal, dataset.ID, ""
	case p.Like != nil:
		return dataset.Nominal, dataset.Unused, ""
	case p.ID == "" && strings.EqualFold(raw.name, "id"):
		return dataset.Nominal, dataset.ID, "the names of the rows, no feature"
	case p.Part == "" && strings.EqualFold(raw.name, "split"):
		return dataset.Nominal, dataset.Part, "the parts of the table, no feature"
	case k == 0 && (raw.name == "column 1" || raw.name == "Unnamed: 0"):
		return dataset.Nominal, dataset.ID, "the numbers of the rows, as pandas writes them, no feature"
	}
	return -1, dataset.Feature, ""
}

func (p *tableParser) like(name string) *dataset.Column {
	for k := range p.Like {
		if p.Like[k].Name == name {
			return &p.Like[k]
		}
	}
	return nil
}

// blank empties the fields with a word for a missing value, and returns the number of the others.
// For columns of words it reports these words.
func (p *tableParser) blank(raw *rawColumn, numbers bool, guessed *guesses) int {
	n := 0
	var found map[string]int
	for i, w := range raw.words {
		switch {
		case w == "":
		case p.blanks.may(w) && p.missing(w):
			raw.words[i] = ""
			if found == nil {
				found = make(map[string]int)
			}
			found[w]++
		default:
			n++
		}
	}
	if len(found) > 0 && !slices.Contains(p.Missing, none) && !numbers && !p.numeric(raw, n) {
		for w, n := range found {
			if slices.Contains(p.Missing, w) {
				continue
			}
			if guessed.words == nil {
				guessed.words = make(map[string]int)
			}
			guessed.words[w] += n
		}
	}
	return n
}

// blanks has the first bytes and the lengths of the words for missing values, so that most other
// words are excluded at once.
type blanks struct {
	first   [256]bool
	longest int
}

func (s Table) blankWords() (b blanks) {
	for _, word := range slices.Concat(missingWords, s.Missing) {
		if word != "" {
			b.first[word[0]] = true
			b.longest = max(b.longest, len(word))
		}
	}
	return b
}

// may reports whether a word, which is not empty, may be one of them.
func (b *blanks) may(word string) bool { return len(word) <= b.longest && b.first[word[0]] }

// fill sets the values of a column whose kind is known.
func (p *tableParser) fill(c *dataset.Column, raw *rawColumn, guessed *guesses) error {
	switch {
	case c.Kind == dataset.Number && raw.numbers != nil:
		c.Numbers = raw.numbers
	case c.Kind == dataset.Number && raw.sets != nil:
		return p.source.errorf(0, 0, "column %s has lists; set files.Table{Sets: []string{%q}} to take them as sets of words", textfile.Quote(c.Name), c.Name)
	case c.Kind == dataset.Number:
		read := p.readNumbers(raw, 0)
		if read.style != plainNumbers {
			p.styles[c.Name] = read.style
		}
		c.Decimal = read.style.decimal()
		if read.odd > 0 {
			w := raw.words[read.first]
			return p.source.errorf(read.first, 0, "column %s: %s is not a number; %s", textfile.Quote(c.Name), textfile.Quote(w), notNumber(c.Name, w))
		}
		c.Numbers = read.values
		if p.Decimal == 0 {
			guessed.noteStyle(c.Name, read.style, raw.words)
		}
	case c.Kind == dataset.Set && raw.sets != nil:
		c.Sets = raw.sets
	case c.Kind == dataset.Set:
		if c.Separator == "" {
			if c.Separator = p.SetSeparator; c.Separator == "" {
				c.Separator = setSeparator(rawWords(raw), nil, 0)
			}
		}
		c.Sets = make([][]string, raw.len())
		for row, w := range rawWords(raw) {
			c.Sets[row] = splitSet(w, c.Separator)
		}
	default:
		c.Words = oneCase(rawWords(raw))
	}
	return nil
}

// oneCase returns truth values as other forms than text have them, true and false, if the words are
// nothing else.
func oneCase(words []string) []string {
	for _, w := range words {
		if w != "" && !strings.EqualFold(w, "true") && !strings.EqualFold(w, "false") {
			return words
		}
	}
	lower := make([]string, len(words))
	for i, w := range words {
		lower[i] = strings.ToLower(w)
	}
	return lower
}

// len returns the number of rows.
func (r *rawColumn) len() int { return max(len(r.words), len(r.numbers), len(r.sets)) }

// rawWords returns the values as words.
func rawWords(raw *rawColumn) []string {
	switch {
	case raw.numbers != nil:
		words := make([]string, len(raw.numbers))
		for i, v := range raw.numbers {
			if !math.IsNaN(v) {
				words[i] = strconv.FormatFloat(v, 'f', -1, 64)
			}
		}
		return words
	case raw.sets != nil:
		words := make([]string, len(raw.sets))
		for i, set := range raw.sets {
			words[i] = strings.Join(set, " ")
		}
		return words
	}
	return raw.words
}

// splitSet returns the words of a field, each once.
func splitSet(field, separator string) []string {
	return appendEach(nil, strings.SplitSeq(field, separator))
}

// appendEach appends the words without blanks around them to an empty list, each once, in their
// order.
func appendEach(set []string, words iter.Seq[string]) []string {
	const few = 32
	var known map[string]bool // once there are more
	for w := range words {
		w = strings.TrimSpace(w)
		if w == "" || known[w] || known == nil && slices.Contains(set, w) {
			continue
		}
		if set = append(set, w); len(set) == few {
			known = make(map[string]bool)
			for _, w := range set {
				known[w] = true
			}
		} else if known != nil {
			known[w] = true
		}
	}
	return set
}

// Thresholds for guessing the kind of a column from its values.
const (
	// recurring is the share of different values, or of different words of sets, up to which they
	// count as recurring.
	recurring = 0.5
	// manyWords is the number of words that the fields of a column of texts have on average.
	manyWords = 3
	// severalWords is that of a column whose values are nearly all different.
	severalWords = 2
	// fewOdd is the share of fields that are no numbers up to which a column may have been meant
	// for one of numbers. It may have been, too, where these fields are all one word.
	fewOdd = 0.05
	// setShare is the share of fields with a separator from which on they are sets.
	setShare = 0.25
)

// guess guesses the kind and the role of a column from its values; n of them are not missing.
func (p *tableParser) guess(c *dataset.Column, raw *rawColumn, n int, guessed *guesses) error {
	tell := func(kind dataset.Kind, role dataset.Role, what string) error {
		c.Kind, c.Role = kind, role
		guessed.add(what, c.Name)
		return p.fill(c, raw, guessed)
	}
	switch {
	case raw.numbers != nil:
		return tell(dataset.Number, dataset.Feature, "numbers")
	case raw.sets != nil:
		return tell(dataset.Set, dataset.Feature, "sets")
	case n == 0:
		return tell(dataset.Nominal, dataset.Unused, "no feature: no values")
	}
	read := p.readNumbers(raw, n)
	if read.odd == 0 && !read.code {
		return tell(dataset.Number, dataset.Feature, "numbers")
	}
	if first := raw.words[read.first]; !read.code && (float64(read.odd) <= fewOdd*float64(n) || 2*read.odd < n && read.odd == count(raw.words, first)) {
		p.note(fmt.Sprintf("Missing: []string{%q}", first), "%s is no column of numbers: %d of its %d values %s not, such as %s", describe.Cut(c.Name, 40), read.odd, n, isOrAre(read.odd), textfile.Quote(first))
	}
	return p.guessWords(c, raw, n, tell)
}

// guessWords guesses the kind and the role of a column of words, and reports them.
func (p *tableParser) guessWords(c *dataset.Column, raw *rawColumn, n int, tell func(dataset.Kind, dataset.Role, string) error) error {
	words, dates := 0, true
	for _, w := range raw.words {
		if w == "" {
			continue
		}
		if float64(words) < manyWords*float64(n) { // more decide nothing
			words += countWords(w)
		}
		dates = dates && looksLikeDate(w)
	}
	if dates {
		return tell(dataset.Nominal, dataset.Unused, "no feature: dates")
	}
	separator := p.SetSeparator
	if separator == "" {
		separator = setSeparator(raw.words, nil, setShare)
	}
	mean := float64(words) / float64(n)
	// more reports whether more than a share of the values are different.
	more := func(share float64) bool { return different(slices.Values(raw.words), share*float64(n)) }
	switch {
	case separator != "" && separator != none && isSet(raw.words, nil, separator):
		c.Separator = separator
		return tell(dataset.Set, dataset.Feature, fmt.Sprintf("sets, separated by %q", separator))
	case mean >= manyWords && more(0.05), mean >= severalWords && more(recurring):
		return tell(dataset.Text, dataset.Feature, "text")
	case !more(recurring) || n < 20 && !different(slices.Values(raw.words), float64(n-1)):
		return tell(dataset.Nominal, dataset.Feature, "nominal")
	}
	return tell(dataset.Nominal, dataset.Unused, "no feature: different in most rows")
}

// different reports whether more than n of the words that are not empty are different. It stops
// when it has found so many.
func different(words iter.Seq[string], n float64) bool {
	found := make(map[string]struct{})
	for w := range words {
		if w == "" {
			continue
		}
		if found[w] = struct{}{}; float64(len(found)) > n {
			return true
		}
	}
	return false
}

// countWords returns the number of words of a text, as many as strings.Fields has.
func countWords(text string) int {
	n, before := 0, true // a blank
	for i := range len(text) {
		c := text[i]
		if c >= utf8.RuneSelf {
			return len(strings.Fields(text))
		}
		blank := c == ' ' || c-'\t' < 5
		if before && !blank {
			n++
		}
		before = blank
	}
	return n
}

// setSeparator returns the separator that the most fields have, of those that at least this share
// of them has, or "". Each field is there as often as times says, once if that is nil.
func setSeparator(words []string, times []int, share float64) string {
	n := 0
	separators := []string{"|", ";", ","}
	with := make([]int, len(separators))
	for i, w := range words {
		each := 1
		if times != nil {
			each = times[i]
		}
		if w != "" {
			n += each
		}
		for k, separator := range separators {
			if strings.Contains(w, separator) {
				with[k] += each
			}
		}
	}
	best, most := "", 0
	for k, separator := range separators {
		if with[k] > most && float64(with[k]) >= share*float64(n) {
			best, most = separator, with[k]
		}
	}
	return best
}

// isSet reports whether the parts of the fields are short, and recur. Each field is there as often
// as times says, once if that is nil.
func isSet(words []string, times []int, separator string) bool {
	var set []string
	each := func(yield func(part string, times int) bool) {
		for i, w := range words {
			n := 1
			if times != nil {
				n = times[i]
			}
			if !strings.Contains(w, separator) {
				if w = strings.TrimSpace(w); w != "" && !yield(w, n) {
					return
				}
				continue
			}
			set = appendEach(set[:0], strings.SplitSeq(w, separator))
			for _, part := range set {
				if !yield(part, n) {
					return
				}
			}
		}
	}
	parts, blanks := 0, 0
	for part, n := range each {
		parts += n
		blanks += n * strings.Count(part, " ")
	}
	return blanks <= parts && !different(func(yield func(string) bool) {
		for part := range each {
			if !yield(part) {
				return
			}
		}
	}, recurring*float64(parts))
}

// numberStyle says how the numbers of a column are written.
type numberStyle int

const (
	plainNumbers numberStyle = iota
	decimalComma             // 1,5
	thousands                // 1,234
)

// grouped matches numbers with commas between thousands. None begins with zero, as 0,750 does.
var grouped = regexp.MustCompile(`^[-+]?[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]+)?$`)

// parse returns the finite number that a field has.
func (s numberStyle) parse(field string) (float64, bool) {
	if field != "" && field[0] >= 'A' { // most words
		return 0, false
	}
	switch s {
	case decimalComma:
		if strings.Contains(field, ".") && strings.Contains(field, ",") {
			field = strings.ReplaceAll(field, ".", "") // of thousands
		}
		field = strings.Replace(field, ",", ".", 1)
	case thousands:
		if grouped.MatchString(field) {
			field = strings.ReplaceAll(field, ",", "")
		}
	}
	v, end, ok := scanNumber(field, 0)
	return v, ok && end == len(field)
}

// styleOf returns how the fields of a column write numbers: as the settings say, or those of a
// table that was read before, or the parts of this one that were, and otherwise as they look.
func (p *tableParser) styleOf(column string, words []string) numberStyle {
	decimal := p.Decimal
	if like := p.like(column); decimal == 0 && like != nil {
		decimal = like.Decimal
	}
	switch decimal {
	case ',':
		return decimalComma
	case '.':
		return thousands
	}
	if style, known := p.styles[column]; known {
		return style
	}
	style := plainNumbers
	for _, w := range words {
		if !strings.Contains(w, ",") {
			continue
		}
		if style = thousands; !grouped.MatchString(w) || p.comma == ';' {
			style = decimalComma
			break
		}
	}
	return style
}

// decimal returns the decimal point of numbers with commas, 0 where there are none.
func (s numberStyle) decimal() rune {
	switch s {
	case decimalComma:
		return ','
	case thousands:
		return '.'
	}
	return 0
}

// noteStyle records how numbers with commas were read.
func (g *guesses) noteStyle(column string, style numberStyle, words []string) {
	if style == plainNumbers {
		return
	}
	for _, w := range words {
		if strings.Contains(w, ",") {
			v, _ := style.parse(w)
			if g.styled = append(g.styled, column); len(g.styled) == 1 {
				g.written, g.read = w, v
			}
			return
		}
	}
}

// styles says how numbers with commas were read.
func (g *guesses) styles() string {
	if len(g.styled) == 0 {
		return ""
	}
	text := fmt.Sprintf("%s of %s is read as %s", textfile.Quote(g.written), describe.Cut(g.styled[0], 40), strconv.FormatFloat(g.read, 'f', -1, 64))
	if more := len(g.styled) - 1; more > 0 {
		text += fmt.Sprintf(", and so are the numbers of %s", describe.Count(more, "more column", "more columns"))
	}
	return text
}

// numeric reports whether all fields that are not empty, of which there are n, are numbers.
func (p *tableParser) numeric(raw *rawColumn, n int) bool {
	read := p.readNumbers(raw, n)
	return n > 0 && read.odd == 0 && !read.code
}

// count returns how many fields are the word.
func count(words []string, word string) int {
	n := 0
	for _, w := range words {
		if w == word {
			n++
		}
	}
	return n
}

// numbersRead has the fields of a column as numbers.
type numbersRead struct {
	style  numberStyle
	values []float64 // NaN where a field is empty, if none is odd
	odd    int       // fields that are neither empty nor a number
	first  int       // row of the first of them
	code   bool      // numbers begin with zeros, as codes do
}

// readNumbers reads the fields of a column as numbers, once. It stops when half of n are odd, which
// are then enough for any decision.
func (p *tableParser) readNumbers(raw *rawColumn, n int) *numbersRead {
	if raw.read != nil {
		return raw.read
	}
	read := &numbersRead{style: p.styleOf(raw.name, raw.words)}
	raw.read = read
	for row, w := range raw.words {
		v, ok := math.NaN(), true
		if w != "" {
			v, ok = read.style.parse(w)
		}
		if !ok {
			if read.odd++; read.odd == 1 {
				read.first, read.values = row, nil
			}
			if 2*read.odd >= n {
				break
			}
			continue
		}
		if read.odd == 0 {
			if read.values == nil {
				read.values = make([]float64, 0, len(raw.words))
			}
			read.values = append(read.values, v)
		}
		read.code = read.code || beginsWithZero(w)
	}
	return read
}

// beginsWithZero reports whether the digits of a number begin with a zero and another digit.
func beginsWithZero(number string) bool {
	for len(number) > 0 && (number[0] == '+' || number[0] == '-') {
		number = number[1:]
	}
	return len(number) > 1 && number[0] == '0' && number[1] >= '0' && number[1] <= '9'
}

const month = `(?i:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?`

var date = regexp.MustCompile(`^(` + strings.Join([]string{
	`[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}`, `[0-9]{1,2}[-/.][0-9]{1,2}[-/.][0-9]{2,4}`,
	month + ` [0-9]{1,2},? [0-9]{2,4}`, month + `[ -][0-9]{4}`, `[0-9]{1,2}\.?[ -]` + month + `[ -][0-9]{2,4}`,
}, "|") + `)([T ][0-9:.+Z-]*)?$`)

func looksLikeDate(w string) bool { return date.MatchString(w) }

// notNumber returns advice for a field that is not a number.
func notNumber(column, field string) string {
	switch {
	case looksLikeDate(field):
		return fmt.Sprintf("it looks like a date; convert it to a number, such as the days since another date, or set files.Table{Unused: []string{%q}} to leave the column out", column)
	case strings.Contains(field, ","):
		return "set files.Table{Decimal: ','} to read 1,5 as one and a half, or files.Table{Decimal: '.'} to read 1,234 as one thousand two hundred and thirty-four"
	case strings.EqualFold(field, "true") || strings.EqualFold(field, "false"):
		return fmt.Sprintf("set files.Table{Nominal: []string{%q}} to take the column as words", column)
	}
	return fmt.Sprintf("set files.Table{Nominal: []string{%q}} to take the column as words, or files.Table{Missing: []string{%q}} to take such fields as missing", column, field)
}
