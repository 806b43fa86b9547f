package table

import (
	"encoding/csv"
	"reflect"
	"strings"
	"testing"
)

// TestWriteCSV is the finding html_study_formats: what stands in a table is no formula.
func TestWriteCSV(t *testing.T) {
	var b strings.Builder
	if err := WriteCSV(&b, [][]string{
		{"name", "-0.5", "+1e-300", "-Inf", "-NaN", ""},
		{"=1+1", "+1+1", "-1+1", "@SUM(A1)", "\tx", "\r=x"},
		{`=HYPERLINK("http://x","y")`, "a=b", "-", "=", "'=x", "1-2"},
	}); err != nil {
		t.Fatal(err)
	}
	const want = `name,-0.5,+1e-300,-Inf,'-NaN,
'=1+1,'+1+1,'-1+1,'@SUM(A1),'` + "\tx,\"'\r=x\"\n" + `"'=HYPERLINK(""http://x"",""y"")",a=b,'-,'=,'=x,1-2
`
	if b.String() != want {
		t.Errorf("got\n%q\nwant\n%q", b.String(), want)
	}
}

// A row of one empty field is read again.
func TestWriteCSVOfEmptyFields(t *testing.T) {
	rows := [][]string{{"title"}, {""}, {"a"}, {""}}
	var b strings.Builder
	if err := WriteCSV(&b, rows); err != nil {
		t.Fatal(err)
	}
	again, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
	if err != nil || !reflect.DeepEqual(again, rows) {
		t.Errorf("got %q, %v from %q", again, err, b.String())
	}
}
