package table

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"
)

// WriteCSV writes rows as comma-separated values, with each field escaped by [Field].
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

// WriteRow is out.Write, where out writes to w. It makes sure that a row of one empty field is not
// an empty line, which readers skip.
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

// Field protects a text from being read as a formula by a spreadsheet: if it begins like a formula
// and is not a number, it gets an apostrophe, which spreadsheets do not show.
func Field(text string) string {
	if text == "" || !strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return text
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return text
	}
	return "'" + text
}
