package dataset

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Table is a set of rows with named columns of several kinds, and with labels: what files.Table
// reads and features.Columns makes instances of. It knows which values are missing. Its methods
// never change it, and what they return shares columns, taxonomy and label lists with it.
type Table struct {
	Name    string
	Columns []Column

	// Taxonomy has the labels, and Labels the nodes of each row, as Dataset.Labels has them. Both
	// are nil where the rows have no labels.
	Taxonomy *taxonomy.Taxonomy
	Labels   [][]int
}

// NewTable returns a table of columns. It is an error if two have one name, or if they have
// different numbers of values.
func NewTable(name string, columns ...Column) (*Table, error) {
	if len(columns) == 0 {
		return nil, fmt.Errorf("dataset: a table needs at least one column")
	}
	names := make(map[string]bool, len(columns))
	for k := range columns {
		if err := columns[k].check(columns[0].Len()); err != nil {
			return nil, err
		}
		if names[columns[k].Name] {
			return nil, fmt.Errorf("dataset: two columns are named %q", columns[k].Name)
		}
		names[columns[k].Name] = true
	}
	return &Table{Name: name, Columns: columns}, nil
}

// Len returns the number of rows.
func (t *Table) Len() int {
	if len(t.Columns) == 0 {
		return len(t.Labels)
	}
	return t.Columns[0].Len()
}

// Column returns the column of the name. It is an error if there is none.
func (t *Table) Column(name string) (*Column, error) {
	for k := range t.Columns {
		if t.Columns[k].Name == name {
			return &t.Columns[k], nil
		}
	}
	return nil, fmt.Errorf("dataset: %q has no column %q; it has %s", t.Name, name, t.names())
}

// names lists the names of the columns.
func (t *Table) names() string {
	var names []string
	for k := range t.Columns {
		names = append(names, t.Columns[k].Name)
	}
	return strings.Join(names, ", ")
}

// WithLabels returns the table with the labels of a column. With a taxonomy they are names of its
// nodes. Without one it is made of them: the values of a Path column are paths, with its Separator
// between the levels, and those of other columns are the names of leaves. A value that is missing
// gives no label. The column gets the role Labels.
func (t *Table) WithLabels(column string, labels *taxonomy.Taxonomy) (*Table, error) {
	c, err := t.Column(column)
	if err != nil {
		return nil, err
	}
	names := make([][]string, t.Len())
	for row := range names {
		switch {
		case c.Missing(row):
		case c.Kind == Set:
			names[row] = c.Sets[row]
		case c.Kind == Path:
			name, known := c.Value(row), false
			if labels != nil {
				_, known = labels.LabelNode(name)
			}
			if !known {
				name = taxonomy.PathName(name, c.separator())
			}
			names[row] = []string{name}
		default:
			names[row] = []string{c.Value(row)}
		}
	}
	if labels == nil {
		var all []string
		for w := range c.words {
			all = append(all, w)
		}
		slices.Sort(all)
		all = slices.Compact(all)
		if c.Kind == Path {
			labels, err = taxonomy.FromPaths(all, c.separator())
		} else {
			labels, err = taxonomy.New(all, nil)
		}
		if err != nil {
			return nil, err
		}
	}
	s := *t
	s.Taxonomy = labels
	if s.Labels, err = LabelSets(labels, names); err != nil {
		return nil, err
	}
	s.Columns = slices.Clone(t.Columns)
	for k := range s.Columns {
		if s.Columns[k].Name == column {
			s.Columns[k].Role = Labels
		}
	}
	return &s, nil
}

// Subset returns the rows at the given positions, in that order. A position may be given more than
// once; one outside 0..Len()-1 panics, as an index outside a slice does.
func (t *Table) Subset(rows []int) *Table {
	s := *t
	s.Columns = make([]Column, len(t.Columns))
	for k := range s.Columns {
		s.Columns[k] = t.Columns[k].subset(rows)
	}
	if t.Labels != nil {
		s.Labels = chosen(t.Labels, rows)
	}
	return &s
}

// Row is a row of a table.
type Row struct {
	table *Table
	row   int
}

// Index returns the position of the row in its table.
func (r Row) Index() int { return r.row }

// Number returns the number in a column, NaN where it is missing. It panics if there is no such
// column of numbers.
func (r Row) Number(column string) float64 { return r.column(column, Number).Numbers[r.row] }

// Value returns the value in a column as it is written, empty where it is missing. It panics if
// there is no such column.
func (r Row) Value(column string) string { return r.column(column, -1).Value(r.row) }

// Missing reports whether the value in a column is missing. It panics if there is no such column.
func (r Row) Missing(column string) bool { return r.column(column, -1).Missing(r.row) }

// column returns the column of that name, and of that kind unless it is -1.
func (r Row) column(name string, kind Kind) *Column {
	c, err := r.table.Column(name)
	if err == nil && kind >= 0 && c.Kind != kind {
		err = fmt.Errorf("dataset: column %q is of kind %v; Value returns what it has", name, c.Kind)
	}
	if err != nil {
		panic(err)
	}
	return c
}

// Filter returns the rows for which keep is true.
func (t *Table) Filter(keep func(row Row) bool) *Table {
	var rows []int
	for i := range t.Len() {
		if keep(Row{t, i}) {
			rows = append(rows, i)
		}
	}
	return t.Subset(rows)
}

// Select returns the table with some of its columns, in the given order. The labels of the rows
// stay, also without their column, and behind the others the columns of the roles Group and Weight.
func (t *Table) Select(names ...string) (*Table, error) {
	s := *t
	s.Columns = nil
	for _, name := range names {
		c, err := t.Column(name)
		if err != nil {
			return nil, err
		}
		s.Columns = append(s.Columns, *c)
	}
	for _, c := range t.Columns {
		if (c.Role == Group || c.Role == Weight) && !slices.Contains(names, c.Name) {
			s.Columns = append(s.Columns, c)
		}
	}
	if _, err := NewTable(t.Name, s.Columns...); err != nil {
		return nil, err
	}
	return &s, nil
}

// With returns the table with one more column, or with a column of that name replaced.
func (t *Table) With(column Column) (*Table, error) {
	if err := column.check(t.Len()); err != nil {
		return nil, err
	}
	s := *t
	s.Columns = slices.DeleteFunc(slices.Clone(t.Columns), func(c Column) bool { return c.Name == column.Name })
	s.Columns = append(s.Columns, column)
	return &s, nil
}

// Sort returns the rows by a column, the smallest value first, or in the order of the alphabet.
// Rows with equal values stay in their order; those whose value is missing are the last.
func (t *Table) Sort(column string) (*Table, error) {
	c, err := t.Column(column)
	if err != nil {
		return nil, err
	}
	rows := make([]int, t.Len())
	for i := range rows {
		rows[i] = i
	}
	slices.SortStableFunc(rows, func(a, b int) int {
		switch missing := c.Missing(a); {
		case missing != c.Missing(b):
			if missing {
				return 1
			}
			return -1
		case missing:
			return 0
		case c.Kind == Number:
			return cmp.Compare(c.Numbers[a], c.Numbers[b])
		}
		return cmp.Compare(c.Value(a), c.Value(b))
	})
	return t.Subset(rows), nil
}

// CountBy returns a table with each value of a column, each word of a set by itself, and the number
// of rows that have it, the most frequent first. Rows whose value is missing are not counted.
func (t *Table) CountBy(column string) (*Table, error) {
	c, err := t.Column(column)
	if err != nil {
		return nil, err
	}
	counts := c.counts()
	values, n := Column{Name: column}, Column{Name: "rows", Kind: Number}
	if column == n.Name {
		n.Name = "number of rows"
	}
	for _, v := range counts {
		values.Words, n.Numbers = append(values.Words, v.value), append(n.Numbers, float64(v.rows))
	}
	return &Table{Name: t.Name + " by " + column, Columns: []Column{values, n}}, nil
}

// valueCount is a value with the number of its rows.
type valueCount struct {
	value string
	rows  int
}

// counts returns the values of the column, the most frequent first, others in the order of the
// alphabet.
func (c *Column) counts() []valueCount {
	n := make(map[string]int)
	for w := range c.words {
		n[w]++
	}
	counts := make([]valueCount, 0, len(n))
	for w, rows := range n {
		counts = append(counts, valueCount{w, rows})
	}
	slices.SortFunc(counts, func(a, b valueCount) int {
		return cmp.Or(cmp.Compare(b.rows, a.rows), cmp.Compare(a.value, b.value))
	})
	return counts
}

// Join returns the table with the columns of another, which has them for each value of a column
// that both have, the key: each row gets those of the row of the other with the same value. Where
// there is none, they are missing. It is an error if the other has a value of the key twice, or
// another column of a name that this table has.
func (t *Table) Join(other *Table, key string) (*Table, error) {
	mine, err := t.Column(key)
	if err != nil {
		return nil, err
	}
	theirs, err := other.Column(key)
	if err != nil {
		return nil, err
	}
	if mine.Kind == Set || theirs.Kind == Set {
		return nil, fmt.Errorf("dataset: the key %q is a column of sets; tables are joined by single values", key)
	}
	rowOf := make(map[string]int, other.Len())
	for row := range other.Len() {
		if theirs.Missing(row) {
			continue
		}
		value := theirs.Exact(row)
		if before, twice := rowOf[value]; twice {
			return nil, fmt.Errorf("dataset: the rows %d and %d of %q have the same %s, %q; a key must be different in each row", before, row, other.Name, key, theirs.Value(row))
		}
		rowOf[value] = row
	}
	rows := make([]int, t.Len())
	for i := range rows {
		rows[i] = -1
		if !mine.Missing(i) {
			if row, ok := rowOf[mine.Exact(i)]; ok {
				rows[i] = row
			}
		}
	}
	s := *t
	s.Columns = slices.Clone(t.Columns)
	for k := range other.Columns {
		if c := &other.Columns[k]; c.Name != key {
			s.Columns = append(s.Columns, c.joined(rows))
		}
	}
	if _, err := NewTable(t.Name, s.Columns...); err != nil {
		return nil, err
	}
	return &s, nil
}

// joined returns the values of the rows, and a missing one for row -1.
func (c *Column) joined(rows []int) Column {
	s := *c
	s.Numbers, s.Words, s.Sets = nil, nil, nil
	for _, row := range rows {
		switch {
		case c.Kind == Number && row < 0:
			s.Numbers = append(s.Numbers, math.NaN())
		case c.Kind == Number:
			s.Numbers = append(s.Numbers, c.Numbers[row])
		case c.Kind == Set && row < 0:
			s.Sets = append(s.Sets, nil)
		case c.Kind == Set:
			s.Sets = append(s.Sets, c.Sets[row])
		case row < 0:
			s.Words = append(s.Words, "")
		default:
			s.Words = append(s.Words, c.Words[row])
		}
	}
	return s
}

// Corpus returns the rows as texts: the values of the columns, with line breaks between them.
// The columns of the roles ID, Part and Group name the documents, their parts and their groups.
// A corpus has no place for weights: Dataset.Weights of what is made of it takes those of
// Table.Weights.
func (t *Table) Corpus(columns ...string) (*Corpus, error) {
	if len(columns) == 0 {
		return nil, fmt.Errorf("dataset: name at least one column of %q to take texts from; it has %s", t.Name, t.names())
	}
	c := &Corpus{Name: t.Name, Taxonomy: t.Taxonomy, Documents: make([]Document, t.Len())}
	id, part, groups := t.role(ID), t.role(Part), t.Groups()
	if weight := t.role(Weight); weight != nil {
		progress.NoteDefault(func() string {
			return fmt.Sprintf("%s: the texts do not keep the weights of column %s; set Dataset.Weights of the vectors made from them to Table.Weights()", t.Name, weight.Name)
		})
	}
	for i := range c.Documents {
		d := &c.Documents[i]
		if d.ID = fmt.Sprint(i); id != nil {
			d.ID = id.Value(i)
		}
		if part != nil {
			d.Part = part.Value(i)
		}
		if groups != nil {
			d.Group = groups[i]
		}
		if t.Labels != nil {
			d.Labels = t.Labels[i]
		}
	}
	for k, name := range columns {
		column, err := t.Column(name)
		if err != nil {
			return nil, err
		}
		for i := range c.Documents {
			if k > 0 {
				c.Documents[i].Text += "\n"
			}
			c.Documents[i].Text += column.Value(i)
		}
	}
	return c, nil
}

// role returns the first column of the role, or nil.
func (t *Table) role(r Role) *Column {
	for k := range t.Columns {
		if t.Columns[k].Role == r {
			return &t.Columns[k]
		}
	}
	return nil
}

// WithGroups returns the table with the groups of a column, which gets the role Group: rows that
// have the same value in it are never divided. A row whose value is missing belongs to no other. A
// column that had the role becomes Unused. It is an error if the column has the labels.
func (t *Table) WithGroups(column string) (*Table, error) {
	c, err := t.Column(column)
	if err != nil {
		return nil, err
	}
	if c.Role == Labels {
		return nil, fmt.Errorf("dataset: column %q has the labels, so each class would be one group, only for training or only for testing; choose another column", column)
	}
	return t.withRole(column, Group), nil
}

// withRole returns the table with a role for a column, and Unused for the column that had it.
func (t *Table) withRole(column string, role Role) *Table {
	s := *t
	s.Columns = slices.Clone(t.Columns)
	for k := range s.Columns {
		switch c := &s.Columns[k]; {
		case c.Name == column:
			c.Role = role
		case c.Role == role:
			c.Role = Unused
		}
	}
	return &s
}

// WithWeights returns the table with the weights of a column of numbers, which gets the role
// Weight: features.Columns makes instances with these Weights. A column that had the role becomes
// Unused. It is an error if the column has the labels, or other values than numbers.
func (t *Table) WithWeights(column string) (*Table, error) {
	c, err := t.Column(column)
	if err != nil {
		return nil, err
	}
	if c.Role == Labels || c.Kind != Number {
		return nil, fmt.Errorf("dataset: column %q has kind %s and role %s; weights need a column of numbers without the labels", column, c.Kind, c.Role)
	}
	s := t.withRole(column, Weight)
	_, err = s.Weights()
	return s, err
}

// Weights returns the weight of each row, as Dataset.Weights has them: the numbers of the column of
// the role Weight. It is nil if there is none, and an error if one is missing or negative.
func (t *Table) Weights() ([]float64, error) {
	c := t.role(Weight)
	if c == nil || t.Len() == 0 {
		return nil, nil
	}
	weights := make([]float64, t.Len())
	for row := range weights {
		if c.Missing(row) {
			return nil, fmt.Errorf("dataset: row %d of %q has no weight in column %q; give every row one, 0 for a row that does not count", row, t.Name, c.Name)
		}
		weights[row] = c.Numbers[row]
		if err := checkWeight(t.Name, row, weights[row]); err != nil {
			return nil, err
		}
	}
	return weights, nil
}

// Groups returns the group of each row, as Dataset.Groups has them: the values of the column of
// the role Group. It is nil if there is none.
func (t *Table) Groups() []string {
	c := t.role(Group)
	if c == nil {
		return nil
	}
	groups := make([]string, t.Len())
	for row := range groups {
		groups[row] = c.Exact(row)
	}
	return groups
}

func (t *Table) divider() *divider {
	return &divider{name: t.Name, labels: t.labelLists(), groups: t.Groups()}
}

// InPart returns the rows whose column of the role Part has the name, such as "train".
func (t *Table) InPart(name string) *Table {
	part := t.role(Part)
	return t.Filter(func(row Row) bool { return part != nil && part.Value(row.row) == name })
}

// labelLists returns the labels of each row, which may be none.
func (t *Table) labelLists() [][]int {
	if t.Labels == nil {
		return make([][]int, t.Len())
	}
	return t.Labels
}

// Labelled returns the rows that have a label.
func (t *Table) Labelled() *Table { return t.Subset(withLabels(t.labelLists())) }

// Leafed returns the table with every label at a leaf, as Dataset.Leafed does.
func (t *Table) Leafed() (*Table, error) {
	if t.Taxonomy == nil {
		return nil, fmt.Errorf("dataset: %q has no labels", t.Name)
	}
	under, labels, err := leafed(t.Taxonomy, t.Labels)
	if err != nil {
		return nil, err
	}
	if under == t.Taxonomy {
		return t, nil
	}
	s := *t
	s.Taxonomy, s.Labels = under, labels[0]
	return &s, nil
}

// Split divides the rows into training and test parts by the rules of Corpus.Split.
func (t *Table) Split(testFraction float64, seed uint64) (train, test *Table, err error) {
	by, err := t.HoldOut(testFraction, seed)
	if err != nil {
		return nil, nil, err
	}
	noteRepeats(t.Name, by, func() Prints { return t.Prints() })
	train, test = t.Divide(by)
	return train, test, nil
}

// HoldOut returns the division that Split makes.
func (t *Table) HoldOut(testFraction float64, seed uint64) (Division, error) {
	return t.divider().holdOut(testFraction, seed)
}

// LeaveGroupsOut returns a division for each group of the rows, by the rules of
// Dataset.LeaveGroupsOut.
func (t *Table) LeaveGroupsOut() ([]Division, error) { return t.divider().leaveGroupsOut() }

// Divide returns the two parts of a division, as Dataset.Divide does.
func (t *Table) Divide(by Division) (train, test *Table) {
	return t.Subset(by.Train), t.Subset(by.Test)
}

// Folds divides the rows into k parts by the rules of Dataset.Folds.
func (t *Table) Folds(k int, seed uint64) ([]Division, error) {
	return t.divider().folds(k, seed)
}

// Rounds returns n independent divisions by the rules of Dataset.Rounds.
func (t *Table) Rounds(n int, testFraction float64, seed uint64) ([]Division, error) {
	return t.divider().rounds(n, testFraction, seed)
}

// PerClass returns at most n rows of every class, by the rules of Corpus.PerClass.
func (t *Table) PerClass(n int, seed uint64) *Table {
	return t.Subset(t.divider().perClass(n, seed))
}

// PerClassRounds returns n divisions with k rows of every class to train on, by the rules of
// Dataset.PerClassRounds.
func (t *Table) PerClassRounds(n, k int, seed uint64) ([]Division, error) {
	return t.divider().perClassRounds(n, k, seed)
}

// LeaveOut returns the division that tests on the given rows, by the rules of Dataset.LeaveOut.
func (t *Table) LeaveOut(name string, test []int) (Division, error) {
	return t.divider().leaveOut(name, test)
}
