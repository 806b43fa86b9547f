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
		if err := out.Write(safe); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
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
