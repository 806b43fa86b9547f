package files

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/textfile"
	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/hierml/taxonomy"
	"github.com/hierml/notebook/internal/table"
)

// ReadDataset reads numbers and nominal values.
func (s CSV) ReadDataset(ctx context.Context, r io.Reader, name string, t *taxonomy.Taxonomy) (*dataset.Dataset, error) {
	l := &labeler{taxonomy: t, repair: s.Repair}
	rows, err := s.open(ctx, r, name, l)
	if err != nil {
		return nil, err
	}
	p := &csvSource{csvTable: rows, known: make(map[string]int)}
	if err := p.layOut(ctx, name); err != nil {
		return nil, err
	}
	d, err := readAll(name, nil, s.Repair, p)
	if err != nil {
		return nil, err
	}
	grown := false
	if d.Taxonomy, grown, err = l.grown(name); err != nil {
		return nil, err
	}
	for i := range d.Labels {
		if grown {
			d.Labels[i] = d.Taxonomy.MostSpecific(d.Labels[i])
		}
	}
	d.Vocabulary, d.X.Vocabulary = p.names, p.names
	return d, nil
}

// csvSource makes instances of the rows of a table.
type csvSource struct {
	*csvTable
	numbers, nominal []int          // columns of the table
	columnOf         []int          // of the matrix, for the numbers
	names            []string       // of the columns of the matrix
	known            map[string]int // the columns of the names
	fixed            bool           // whether all names are given
}

// layOut finds the columns of the table and of the matrix.
func (p *csvSource) layOut(ctx context.Context, name string) error {
	used := append([]int{p.label, p.id, p.part}, p.levels...)
	for _, title := range p.Nominal {
		column, err := p.find(title)
		if err != nil {
			return err
		}
		p.nominal = append(p.nominal, column)
	}
	used = append(used, p.nominal...)
	if p.Numbers == nil && p.index() && !slices.Contains(used, 0) {
		used = append(used, 0)
		progress.Note(ctx, fmt.Sprintf("The first column of %s has no title of its own and is left out: it numbers the rows, as pandas writes them. CSV{Numbers: …} names the columns that are features.", name))
	}
	for _, title := range p.Numbers {
		column, err := p.find(title)
		if err != nil {
			return err
		}
		p.numbers = append(p.numbers, column)
	}
	for column := range p.titles {
		if p.Numbers == nil && !slices.Contains(used, column) {
			p.numbers = append(p.numbers, column)
		}
	}
	for _, name := range p.Vocabulary {
		p.column(name)
	}
	p.fixed = p.Vocabulary != nil
	for _, column := range p.numbers {
		title := featureOf(p.titles[column])
		if _, known := p.known[title]; p.fixed && !known {
			return p.file.Errorf(1, 0, "column %s is not in the vocabulary of the data read before", textfile.Quote(title))
		} else if known && !p.fixed {
			return p.file.Errorf(1, 0, "two columns are called %s", textfile.Quote(title))
		}
		p.columnOf = append(p.columnOf, p.column(title))
	}
	return nil
}

// index reports whether the first column is the index of a table of pandas, which has no title, or
// that of a table that was read with such a column.
func (p *csvSource) index() bool {
	return len(p.titles) > 1 && (p.titles[0] == "" || p.titles[0] == "Unnamed: 0")
}

// column returns the column of the matrix that is called so, a new one perhaps.
func (p *csvSource) column(name string) int {
	j, ok := p.known[name]
	if !ok {
		j = len(p.names)
		p.known[name] = j
		p.names = append(p.names, name)
	}
	return j
}

func (p *csvSource) columns() int      { return len(p.names) }
func (p *csvSource) fraction() float64 { return p.file.Fraction() }
func (p *csvSource) empty() error      { return p.file.Errorf(p.line, 0, "no rows below the titles") }

func (p *csvSource) next(in *dataset.Instance) error {
	if err := p.nextRow(); err != nil {
		return err
	}
	in.Labels, in.Columns, in.Values = nil, in.Columns[:0], in.Values[:0]
	for k, column := range p.numbers {
		text := strings.TrimSpace(p.row[column])
		if text == "" {
			continue
		}
		value, end, ok := parseFloat([]byte(text), 0)
		if !ok || end != len(text) {
			kind, advice := faultUnreadable, ""
			if isMissing(text) {
				kind = faultMissing
				if p.Repair == nil {
					advice = "; a number that is missing is an empty field, and counts as zero; CSV{Repair: &files.Faults{}} takes such fields as zero and counts them"
				}
			}
			if isNotFinite(text) {
				kind = faultNotFinite
			}
			if err := p.fault(kind, column, "%s is not a value; expected a finite decimal number within the range of a float32%s", textfile.Quote(text), advice); err != nil {
				return err
			}
			continue
		}
		if value != 0 {
			in.Columns, in.Values = append(in.Columns, int32(p.columnOf[k])), append(in.Values, value)
		}
	}
	for _, column := range p.nominal {
		text, err := p.field(column)
		if err != nil {
			return err
		}
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		name := p.titles[column] + "=" + text
		if _, known := p.known[name]; p.fixed && !known {
			if err := p.fault(faultUnknownValue, column, "%s is not a value of %s in the data read before", textfile.Quote(text), textfile.Quote(p.titles[column])); err != nil {
				return err
			}
			continue
		}
		in.Columns, in.Values = append(in.Columns, int32(p.column(name))), append(in.Values, 1)
	}
	sort.Sort(byColumn{in})
	for k := 1; k < len(in.Columns); k++ {
		if in.Columns[k] == in.Columns[k-1] {
			return p.file.Errorf(p.line, 0, "two fields are feature %s; expected nominal values not called as a number is", textfile.Quote(p.names[in.Columns[k]]))
		}
	}
	if len(in.Values) == 0 && p.Repair != nil {
		if err := p.fault(faultEmptyRow, -1, "the instance has no features"); err != nil {
			return err
		}
	}
	nodes, err := p.nodes()
	in.Labels = nodes
	return err
}

// isMissing reports whether a field of numbers says in words that there is none.
func isMissing(text string) bool {
	switch strings.ToLower(text) {
	case "na", "n/a", "nan", "<na>", "null", "none", "nil", "?", "-", "missing":
		return true
	}
	return false
}

// Write writes texts so that Read gives them again.
func (s CSV) Write(ctx context.Context, w io.Writer, c *dataset.Corpus) error {
	if c == nil || c.Taxonomy == nil {
		return fmt.Errorf("files: no corpus, or one without taxonomy; there is nothing to write")
	}
	if len(s.Levels) > 0 || len(s.Text) > 1 {
		return fmt.Errorf("files: texts of several columns, and labels in levels, are not written; name one column for each")
	}
	text := "text"
	if len(s.Text) == 1 {
		text = s.Text[0]
	}
	out := s.writer(w)
	labels := labelWriter{taxonomy: c.Taxonomy, separator: orElse(s.LabelSeparator, ","), forbidden: orElse(s.LabelSeparator, ",")}
	err := out.Write([]string{orElse(s.ID, "id"), orElse(s.Part, "split"), orElse(s.Labels, "labels"), text})
	for i, d := range c.Documents {
		if err == nil {
			err = ctx.Err()
		}
		var field string
		if err == nil {
			field, err = s.labelField(&labels, i, d.Labels)
		}
		if err == nil {
			err = out.Write([]string{d.ID, d.Part, field, d.Text})
		}
	}
	if out.Flush(); err == nil {
		err = out.Error()
	}
	if err != nil {
		return fmt.Errorf("files: writing a table: %w", err)
	}
	return nil
}

// writer returns what writes the fields.
func (s CSV) writer(w io.Writer) *csv.Writer {
	out := csv.NewWriter(w)
	if s.Comma != 0 {
		out.Comma = s.Comma
	}
	return out
}

// labelField returns the labels in one field.
func (s CSV) labelField(labels *labelWriter, row int, nodes []int) (string, error) {
	field, err := labels.append(nil, row, nodes)
	if err != nil {
		return "", err
	}
	for _, n := range nodes {
		if name := labels.taxonomy.LabelName(n); strings.TrimSpace(name) != name {
			return "", fmt.Errorf("row %d has label %s, which has blanks around; rename it", row, textfile.Quote(name))
		}
	}
	return string(field), nil
}

// titleOf returns the title of a column with features of that name: the name, or where that means
// something else in a title, or is not read as it stands, the name in quotation marks.
func (s CSV) titleOf(name string) string {
	taken := []string{"", orElse(s.Labels, "labels"), "id", "split", s.ID, s.Part}
	if slices.Contains(taken, name) || name[0] == '"' || strings.TrimSpace(name) != name || strings.ContainsFunc(name, unicode.IsControl) || !utf8.ValidString(name) {
		return strconv.Quote(name)
	}
	return name
}

// featureOf returns the name of the features below a title.
func featureOf(title string) string {
	if strings.HasPrefix(title, `"`) {
		if name, err := strconv.Unquote(title); err == nil {
			return name
		}
	}
	return title
}

// WriteDataset writes all columns as numbers, so that ReadDataset gives them again, with their
// names. A name that means something else in a title, such as "split", stands in quotation marks
// there.
func (s CSV) WriteDataset(ctx context.Context, w io.Writer, d *dataset.Dataset) error {
	if err := d.Check(); err != nil {
		return err
	}
	if d.X.Cols > maxARFFColumns {
		return fmt.Errorf("files: %s has %d columns, and each row of a table has a field for each; at most %d are written. SVMLight writes only values that are not zero", d.Name, d.X.Cols, maxARFFColumns)
	}
	label := orElse(s.Labels, "labels")
	titles := []string{label}
	used := make(map[string]int, d.X.Cols)
	for j := range d.X.Cols {
		name := fmt.Sprint("x", j+1)
		if d.Vocabulary != nil && j < len(d.Vocabulary) {
			name = d.Vocabulary[j]
		}
		if before, ok := used[name]; ok {
			return fmt.Errorf("files: the columns %d and %d are both called %s; give each a name of its own", before, j, textfile.Quote(name))
		}
		used[name] = j
		titles = append(titles, s.titleOf(name))
	}
	out := s.writer(w)
	labels := labelWriter{taxonomy: d.Taxonomy, separator: orElse(s.LabelSeparator, ","), forbidden: orElse(s.LabelSeparator, ",")}
	err := out.Write(titles)
	record := make([]string, len(titles))
	row := 0
	for in := range d.Instances() {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			record[0], err = s.labelField(&labels, row, in.Labels)
		}
		if err == nil {
			err = fillRow(record[1:], row, in)
		}
		if err == nil {
			err = table.WriteRow(w, out, record)
		}
		row++
	}
	if out.Flush(); err == nil {
		err = out.Error()
	}
	if err != nil {
		return fmt.Errorf("files: writing a table: %w", err)
	}
	return nil
}

// fillRow writes the values into their fields.
func fillRow(record []string, row int, in dataset.Instance) error {
	features, err := appendFeatures(nil, row, 0, in)
	if err != nil {
		return err
	}
	for j := range record {
		record[j] = "0"
	}
	k := 0
	for feature := range strings.FieldsSeq(string(features)) {
		column := int(in.Columns[k])
		if k++; column >= len(record) {
			return errors.New("row " + fmt.Sprint(row) + " has a column beyond the last of the matrix")
		}
		_, record[column], _ = strings.Cut(feature, ":")
	}
	return nil
}
