package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// pageRow matches the rows of the page's tables with a line for hierml.
var pageRow = regexp.MustCompile("(?m)^\\| (.*) \\| `([^`]+)` \\|$")

// TestScikitLearn runs what the page for users of scikit-learn says to write, in the order of the
// page, a cell each.
func TestScikitLearn(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "doc", "scikit-learn.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := pageRow.FindAllStringSubmatch(string(page), -1)
	if n := strings.Count(string(page), "\n|") - 2*strings.Count(string(page), "\n|---"); len(rows) != n || n < 30 {
		t.Fatalf("%d of %d rows have a line for hierml", len(rows), n)
	}
	type cell map[string]any
	var cells []cell
	for i, row := range rows {
		cells = append(cells, cell{"cell_type": "code", "id": fmt.Sprint("row", i), "metadata": cell{}, "execution_count": nil, "outputs": []any{}, "source": row[2]})
	}
	content, err := json.Marshal(cell{"cells": cells, "metadata": cell{}, "nbformat": 4, "nbformat_minor": 5})
	if err != nil {
		t.Fatal(err)
	}

	dir := t.TempDir()
	var table, sparse strings.Builder
	table.WriteString("label,text,size,kind\n")
	nouns := [][]string{{"fruit/apple", "apple red sweet"}, {"fruit/pear", "pear green juicy"}, {"tool/saw", "saw steel sharp"}, {"tool/hammer", "hammer steel heavy"}}
	for i := range 40 {
		noun := nouns[i%4]
		size := fmt.Sprint(20*(i%4) + i)
		if i%9 == 5 {
			size = ""
		}
		fmt.Fprintf(&table, "%s,this is a %s thing number %d of all that we have,%s,%s\n", noun[0], strings.Join(strings.Fields(noun[1])[:1+i%3], " "), i, size, []string{"old", "new", "used"}[i%3])
		fmt.Fprintf(&sparse, "%d 1:%d 3:0.5\n", i%3, i)
	}
	for name, text := range map[string]string{"page.ipynb": string(content), "my.csv": table.String(), "my.svm": sparse.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got := hierml(t, dir, "", "notebook", "run", "page.ipynb", "-o", "done.ipynb"); got.status != 0 {
		t.Errorf("status %d\n%s%s", got.status, got.stdout, got.stderr)
	}
}
