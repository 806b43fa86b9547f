package dataset

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hierml/notebook/internal/table"
)

// Kind is the kind of the values of a column of a table.
type Kind int

const (
	// Nominal values are words of which several rows have the same, such as a country.
	Nominal Kind = iota
	// Text values are read by their words.
	Text
	// Number values are numbers.
	Number
	// Set values are sets of words, such as keywords.
	Set
	// Path values are words of several levels, such as food/tea.
	Path
)

var kindNames = []string{"nominal", "text", "number", "set", "path"}

func (k Kind) String() string {
	if k < 0 || int(k) >= len(kindNames) {
		return fmt.Sprintf("Kind(%d)", int(k))
	}
	return kindNames[k]
}

// MarshalText returns the name that String returns.
func (k Kind) MarshalText() ([]byte, error) {
	if k < 0 || int(k) >= len(kindNames) {
		return nil, fmt.Errorf("dataset: Kind is %d; it must be 0 to %d", int(k), len(kindNames)-1)
	}
	return []byte(k.String()), nil
}

// UnmarshalText sets the kind by its name.
func (k *Kind) UnmarshalText(text []byte) error {
	i := slices.Index(kindNames, string(text))
	if i < 0 {
		return fmt.Errorf("dataset: Kind is %.40q; it has to be one of: %s", text, strings.Join(kindNames, ", "))
	}
	*k = Kind(i)
	return nil
}

// Role is the purpose of a column of a table.
type Role int

const (
	// Feature columns are what models learn from.
	Feature Role = iota
	// Labels columns have the labels.
	Labels
	// ID is the column that names the rows.
	ID
	// Part is the column that says which part of the table, train or test, a row is in.
	Part
	// Unused columns are read, and are no features.
	Unused
	// Group is the column with the group of each row, see Dataset.Groups.
	Group
	// Weight is the column with the weight of each row, see Dataset.Weights.
	Weight
)

var roleNames = []string{"feature", "labels", "id", "part", "unused", "group", "weight"}

func (r Role) String() string {
	if r < 0 || int(r) >= len(roleNames) {
		return fmt.Sprintf("Role(%d)", int(r))
	}
	return roleNames[r]
}

// Column is a column of a table. Its kind determines which of the fields Numbers, Words and Sets
// has the values, one per row.
type Column struct {
	Name string
	Kind Kind
	Role Role

	// Numbers are the values of a Number column, NaN where one is missing. The others are finite.
	Numbers []float64
	// Words are the values of a Nominal, Text or Path column, empty where one is missing.
	Words []string
	// Sets are the values of a Set column, each word once, empty where none is given.
	Sets [][]string

	// Separator separates the words of a set, or the levels of a path, in writing. The default
	// values are "|" and "/".
	Separator string

	// Decimal is ',' where numbers were written as 1,5, and '.' where 1,234 was a thousand, and
	// 0 where they had no commas.
	Decimal rune
}

// Numbers returns a column of numbers, NaN where one is missing.
func Numbers(name string, values ...float64) Column {
	return Column{Name: name, Kind: Number, Numbers: values}
}

// Words returns a column of nominal values, empty where one is missing.
func Words(name string, values ...string) Column { return Column{Name: name, Words: values} }

// Texts returns a column of texts, empty where one is missing.
func Texts(name string, values ...string) Column {
	return Column{Name: name, Kind: Text, Words: values}
}

// Sets returns a column of sets of words.
func Sets(name string, values ...[]string) Column {
	return Column{Name: name, Kind: Set, Sets: values}
}

// Len returns the number of values, those that are missing among them.
func (c *Column) Len() int {
	switch c.Kind {
	case Number:
		return len(c.Numbers)
	case Set:
		return len(c.Sets)
	}
	return len(c.Words)
}

// Missing reports whether the value of a row is missing.
func (c *Column) Missing(row int) bool {
	switch c.Kind {
	case Number:
		return math.IsNaN(c.Numbers[row])
	case Set:
		return len(c.Sets[row]) == 0
	}
	return c.Words[row] == ""
}

// MissingCount returns the number of rows whose value is missing.
func (c *Column) MissingCount() int {
	n := 0
	for row := range c.Len() {
		if c.Missing(row) {
			n++
		}
	}
	return n
}

// Value returns the value of a row as it is written, empty where it is missing.
func (c *Column) Value(row int) string {
	switch {
	case c.Missing(row):
		return ""
	case c.Kind == Number:
		return table.Number(c.Numbers[row])
	case c.Kind == Set:
		return strings.Join(c.Sets[row], c.separator())
	}
	return c.Words[row]
}

// Exact is Value with all digits of a number.
func (c *Column) Exact(row int) string {
	if c.Kind == Number && !c.Missing(row) {
		return fmt.Sprint(c.Numbers[row])
	}
	return c.Value(row)
}

// separator returns what stands between the parts of a value.
func (c *Column) separator() string {
	switch {
	case c.Separator != "":
		return c.Separator
	case c.Kind == Path:
		return "/"
	}
	return "|"
}

// subset returns the column with the values of some rows.
func (c *Column) subset(rows []int) Column {
	s := *c
	switch c.Kind {
	case Number:
		s.Numbers = chosen(c.Numbers, rows)
	case Set:
		s.Sets = chosen(c.Sets, rows)
	default:
		s.Words = chosen(c.Words, rows)
	}
	return s
}

func chosen[T any](values []T, rows []int) []T {
	some := make([]T, len(rows))
	for i, r := range rows {
		some[i] = values[r]
	}
	return some
}

// check returns an error if the column cannot be part of a table of so many rows.
func (c *Column) check(rows int) error {
	if c.Kind < 0 || int(c.Kind) >= len(kindNames) {
		return fmt.Errorf("dataset: column %q has kind %d; kinds are 0 to %d", c.Name, int(c.Kind), len(kindNames)-1)
	}
	if c.Name == "" {
		return fmt.Errorf("dataset: a column has no name")
	}
	if c.Len() != rows {
		return fmt.Errorf("dataset: column %q has %d values in its field for %v columns, and the first column has %d; each column needs one value per row", c.Name, c.Len(), c.Kind, rows)
	}
	for row, v := range c.Numbers {
		if math.IsInf(v, 0) {
			return fmt.Errorf("dataset: column %q has %v in row %d; expected finite numbers, or NaN for a missing one", c.Name, v, row)
		}
	}
	return nil
}

// words returns all words of the column, those of sets one by one.
func (c *Column) words(yield func(word string) bool) {
	for row := range c.Len() {
		switch {
		case c.Missing(row):
		case c.Kind == Set:
			for _, w := range c.Sets[row] {
				if !yield(w) {
					return
				}
			}
		default:
			if !yield(c.Value(row)) {
				return
			}
		}
	}
}
