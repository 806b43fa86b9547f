package table

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"
)

// WriteCSV writes rows as comma-separated values, each field as [Field] has it.
func WriteCSV(w io.Writer, rows [][]string) error {
	out := csv.NewWriter(w)
	for _, row := range rows {
		safe := make([]string, len(row))
		for i, text := range row {
			safe[i] = Field(text)
		}
		if err := WriteRow(w, out, safe); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// WriteRow is out.Write, where out writes to w, and a row of one empty field is not the empty line
// that readers pass over.
func WriteRow(w io.Writer, out *csv.Writer, row []string) error {
	if len(row) != 1 || row[0] != "" {
		return out.Write(row)
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\"\"\n")
	return err
}

// Field returns a text that a spreadsheet does not take for a formula: behind an apostrophe, which
// spreadsheets do not show, if it begins as formulas do and is no number.
func Field(text string) string {
	if text == "" || !strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return text
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return text
	}
	return "'" + text
}
