package files

import (
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/textfile"
	"github.com/hierml/notebook/hierml/taxonomy"
	"github.com/hierml/notebook/internal/table"
)

// Write writes texts so that Read returns the same, with their groups if Group is set.
func (s CSV) Write(ctx context.Context, w io.Writer, c *dataset.Corpus) error {
	if c == nil || c.Taxonomy == nil {
		return fmt.Errorf("files: the corpus is nil or has no taxonomy; there is nothing to write")
	}
	if len(s.Levels) > 0 || len(s.Text) > 1 {
		return fmt.Errorf("files: texts are written in one column and labels in one; name one column in Text, and leave Levels empty")
	}
	text := "text"
	if len(s.Text) == 1 {
		text = s.Text[0]
	}
	out := s.writer(w)
	labels := s.labelWriter(c.Taxonomy)
	write := func(id, part, labels, text, group string) error {
		fields := []string{id, part, labels, text, group}
		if s.Group == "" {
			fields = fields[:4]
		}
		return out.Write(fields)
	}
	err := write(orElse(s.ID, "id"), orElse(s.Part, "split"), orElse(s.Labels, "labels"), text, s.Group)
	for i, d := range c.Documents {
		if err == nil {
			err = ctx.Err()
		}
		var field string
		if err == nil {
			field, err = s.labelField(labels, i, d.Labels)
		}
		if err == nil {
			err = write(d.ID, d.Part, field, d.Text, d.Group)
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

// labelWriter returns what writes labels into fields.
func (s CSV) labelWriter(t *taxonomy.Taxonomy) *labelWriter {
	separator := s.LabelSeparator
	if separator == "" && strings.EqualFold(orElse(s.Labels, "labels"), "labels") {
		separator = ","
	}
	return &labelWriter{taxonomy: t, separator: orElse(separator, none)}
}

// labelField returns the labels in one field.
func (s CSV) labelField(labels *labelWriter, row int, nodes []int) (string, error) {
	if labels.separator == none && len(nodes) > 1 {
		return "", fmt.Errorf("row %d has %d labels, and a field of column %s has one; set CSV{LabelSeparator: …} to write several", row, len(nodes), textfile.Quote(s.Labels))
	}
	text, err := labels.append(nil, row, nodes)
	if err != nil {
		return "", err
	}
	for _, n := range nodes {
		switch name := labels.taxonomy.LabelName(n); {
		case strings.TrimSpace(name) != name:
			return "", fmt.Errorf("row %d has label %s, which begins or ends with a blank; rename it", row, textfile.Quote(name))
		case labels.separator != none && strings.Contains(name, labels.separator):
			return "", fmt.Errorf("row %d has label %s, but %q separates labels; set CSV{LabelSeparator: …} to another separator, or to \"none\" if each row has one label", row, textfile.Quote(name), labels.separator)
		}
	}
	field := string(text)
	if len(nodes) < 2 {
		return field, nil
	}
	if _, one := (&labeler{taxonomy: labels.taxonomy}).node(field); one {
		return "", fmt.Errorf("the labels of row %d, joined to %s, equal the name of another label; set CSV{LabelSeparator: ...} to another separator", row, textfile.Quote(field))
	}
	return field, nil
}

// WriteDataset writes a table: a column of the labels, and all columns of the matrix as numbers,
// including zeros. Titles are the names of the columns, or x1, x2 and so on if they have none. Read
// it with Table{Numbers: names}. It returns an error for a name that cannot be a title, and for
// more than 16777216 columns.
func (s CSV) WriteDataset(ctx context.Context, w io.Writer, d *dataset.Dataset) error {
	if err := d.Check(); err != nil {
		return err
	}
	titles, err := s.datasetTitles(d)
	if err != nil {
		return err
	}
	out := s.writer(w)
	labels := s.labelWriter(d.Taxonomy)
	err = out.Write(titles)
	record := make([]string, len(titles))
	row := 0
	for in, wrong := range d.Instances() {
		if err == nil {
			err = cmp.Or(wrong, ctx.Err())
		}
		if err == nil {
			record[0], err = s.labelField(labels, row, in.Labels)
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

// datasetTitles returns the titles of the table that a data set is written to.
func (s CSV) datasetTitles(d *dataset.Dataset) ([]string, error) {
	if d.X.Cols > maxARFFColumns {
		return nil, fmt.Errorf("files: %s has %d columns, and a table can have at most %d, because each row has a field for each; use SVMLight, which writes only values that are not zero", d.Name, d.X.Cols, maxARFFColumns)
	}
	titles := make([]string, 1, d.X.Cols+1)
	titles[0] = orElse(s.Labels, "labels")
	used := make(map[string]int, d.X.Cols)
	for j := range d.X.Cols {
		name := fmt.Sprint("x", j+1)
		if j < len(d.Vocabulary) {
			name = d.Vocabulary[j]
		}
		before, twice := used[name]
		switch {
		case name == titles[0]:
			return nil, fmt.Errorf("files: column %d is named %s, like the column of the labels; set CSV{Labels: \"...\"} to another name", j, textfile.Quote(name))
		case twice:
			return nil, fmt.Errorf("files: columns %d and %d are both named %s; rename one of them", before, j, textfile.Quote(name))
		case name == "":
			return nil, fmt.Errorf("files: column %d has an empty name; name it", j)
		case strings.TrimSpace(name) != name, strings.ContainsRune(name, 0), strings.Contains(name, "\r\n"), !utf8.ValidString(name):
			return nil, fmt.Errorf("files: column %d is named %s; rename it without surrounding blanks, zero bytes, Windows line breaks or bytes that are not UTF-8", j, textfile.Quote(name))
		}
		used[name] = j
		titles = append(titles, name)
	}
	return titles, nil
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
