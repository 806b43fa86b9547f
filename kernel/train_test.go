package main

import (
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// shopTable returns a table of rows with texts, numbers, nominal values, sets, and labels of two
// levels, of which some rows lack a number.
func shopTable(rows int, labels bool) string {
	rng := rand.New(rand.NewPCG(4, 2))
	var b strings.Builder
	b.WriteString("item,said,price,land,tags")
	if labels {
		b.WriteString(",category")
	}
	b.WriteString("\n")
	kinds := [][4]string{{"food/tea", "green leaves of %d", "IN", "hot|loose"}, {"food/wine", "red grapes from %d", "FR", "cold"}, {"tools", "steel hammer no %d", "DE", "heavy|loose"}}
	for i := range rows {
		k := rng.IntN(3)
		price := fmt.Sprintf("%.2f", float64(1+k)*10+rng.Float64())
		if rng.IntN(5) == 0 {
			price = []string{"", "NA"}[rng.IntN(2)]
		}
		fmt.Fprintf(&b, "i%d,%s,%s,%s,%s", i, fmt.Sprintf(kinds[k][1], rng.IntN(50)), price, kinds[k][2], kinds[k][3])
		if labels {
			b.WriteString("," + kinds[k][0])
		}
		b.WriteString("\n")
	}
	return b.String()
}

// TestTrainPredictEvaluate goes from a file to a model to predictions for new rows, and measures
// them.
func TestTrainPredictEvaluate(t *testing.T) {
	dir := write(t, "shop.csv", shopTable(300, true))
	var parts strings.Builder
	for i, line := range strings.Split(strings.TrimSpace(shopTable(105, true)), "\n") {
		switch {
		case i == 0:
			line += ",split"
		case i > 100:
			line = line[:strings.LastIndex(line, ",")] + ",,train"
		default:
			line += "," + []string{"train", "test", "train", "train", "test", "train", "train", "test", "train", "dev"}[i%10]
		}
		parts.WriteString(line + "\n")
	}
	for name, content := range map[string]string{
		"parts.csv":  parts.String(),
		"commas.csv": "label;kilos\n" + strings.Repeat("a;1,250\nb;900\n", 30),
		"points.csv": "kilos\n" + strings.Repeat("\"1,250\"\n", 5000) + "\"1,25\"\n",
		"new.csv":    shopTable(5000, false), "test.csv": shopTable(50, true) + "x,grey,1,XX,,unheard of\ny,grey,1,XX,,\n", "odd.csv": "said,category\nred,tools\n", "bad.csv": "category,price\ntools,big\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		args   string
		status int
		stdout []string
		stderr string
	}{
		{"train", 2, nil, "missing argument FILE"},
		{"train none.csv", 1, nil, "no such file"},
		{"train new.csv", 1, nil, "new.csv has no labels. Name their column by --label"},
		{"train shop.csv --label colour", 1, nil, `--label: no column named "colour" (found: `},
		{"train bad.csv --numbers price", 1, nil, `bad.csv:2: column "price": "big" is not a number; set --nominal "price" to take the column as words, or --missing "big" to take such fields as missing`},
		{"train shop.csv --method best", 2, nil, `unknown method "best"; the methods are flat, hierarchical`},
		{"train shop.csv --C high", 2, nil, `--C is "high"; it must be a positive number or auto`},
		{"train shop.csv --fill much", 2, nil, `--fill is "much"`},
		{"train shop.csv --fill refuse --C 1", 1, nil, `numbers are missing; set --fill, for example --fill mean, to replace them`},
		{"train shop.csv --comma ;;", 2, nil, `--comma is ";;"; it must be one character`},
		{"train shop.csv --C 1 --probabilities=false -o plain.hierml --unused said", 0, []string{"plain.hierml: 300 rows, 3 labels"}, "price (numbers); land (nominal)"},
		{"train parts.csv --C 1 --probabilities=false", 0, []string{"parts.hierml: 60 rows", "accuracy"}, "training on the 60 rows of the part train, evaluating on the 30 rows of test [--part]\nskipping 10 rows of other parts"},
		{"train parts.csv --C 1 --probabilities=false", 0, nil, "1 of 30 rows for testing repeats a row for training"},
		{"train parts.csv --C 1 --probabilities=false --group land", 1, nil, "is in both parts. Use --test"},
		{"train parts.csv --C 1 --probabilities=false --weight price --fill mean", 1, nil, "has no weight in column \"price\""},
		{"train parts.csv --C 1 --probabilities=false --unused split", 0, []string{"parts.hierml: 100 rows"}, "skipping 5 of 105 rows, which have no label"},
		{"train shop.csv --C 1 --probabilities=false --group author", 1, nil, `--group: no column named "author" (found: `},
		{"train shop.csv --C 1 --probabilities=false --group land --test 0.3 -o lands.hierml", 0, []string{"lands.hierml:", "accuracy                             0.0000"}, ""},
		{"train shop.csv --report page.html", 0, []string{"shop.hierml: 300 rows, 3 labels", "normalized hierarchical SVM", "C = "}, `shop.csv: labels have levels, separated by "/" [--path-separator]`},
		{"predict shop.hierml new.csv -o out.csv -k 2", 0, nil, ""},
		{"predict shop.hierml new.csv -o shop.hierml", 1, nil, "shop.hierml is an input, and the output would overwrite it"},
		{"predict shop.hierml new.csv -o new.csv", 1, nil, "new.csv is an input, and the output would overwrite it"},
		{"train shop.csv -o shop.csv", 1, nil, "shop.csv is an input, and the output would overwrite it"},
		{"train shop.csv --decimal x", 2, nil, `--decimal is "x"; it must be . or ,`},
		{"train commas.csv --C 1 --decimal , --test 0.3", 0, []string{"accuracy                             1.0000"}, ""},
		{"evaluate commas.hierml commas.csv", 0, []string{"accuracy                             1.0000"}, ""},
		{"predict commas.hierml points.csv -k 9 -o points.out", 0, nil, "the model has only 2 labels, so -k 9 prints them all"},
		{"predict shop.hierml odd.csv", 1, nil, `has no column "price"`},
		{"predict shop.csv new.csv", 1, nil, "shop.csv is not a model that hierml train has saved (the arguments are MODEL, then FILE)"},
		{"predict shop.hierml new.csv -k 0", 2, nil, "-k is 0"},
		{"evaluate shop.hierml test.csv --report measures.html", 0, []string{"accuracy"}, "skipping 2 of 52 rows, which have no label that the model knows"},
		{"evaluate shop.hierml new.csv", 1, nil, "new.csv has no labels to compare with. Name their column by --label"},
	} {
		got := hierml(t, dir, "", strings.Fields(test.args)...)
		if got.status != test.status {
			t.Errorf("%s: status %d, want %d\n%s%s", test.args, got.status, test.status, got.stdout, got.stderr)
		}
		for _, want := range test.stdout {
			if !strings.Contains(got.stdout, want) {
				t.Errorf("%s: %q is not in\n%s", test.args, want, got.stdout)
			}
		}
		if !strings.Contains(got.stderr, test.stderr) {
			t.Errorf("%s: %q is not in\n%s", test.args, test.stderr, got.stderr)
		}
	}
	for page, want := range map[string][]string{
		"page.html":     {"<h1>Model of shop.csv</h1>", "Notes on the table", "[--path-separator]", "converged"},
		"measures.html": {"<h1>shop.hierml on test.csv</h1>", "<svg", "accuracy"},
	} {
		content, err := os.ReadFile(filepath.Join(dir, page))
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range want {
			if !strings.Contains(string(content), part) {
				t.Errorf("%s: %q is missing", page, part)
			}
		}
	}
	file, err := os.Open(filepath.Join(dir, "out.csv"))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(file).ReadAll()
	if closed := file.Close(); err != nil || closed != nil {
		t.Fatal(err, closed)
	}
	points, err := os.ReadFile(filepath.Join(dir, "points.out"))
	if err != nil || strings.Count(string(points), ",a,a,") != 5001 {
		t.Errorf("%d of 5001 rows of one number have one label: %v", strings.Count(string(points), ",a,a,"), err)
	}
	truth := labelsIn(t, shopTable(5000, true))
	if len(rows) != 5001 || strings.Join(rows[0], ",") != "row,label,path,probability,label 2,probability 2,note" {
		t.Fatalf("%d rows below %v", len(rows)-1, rows[0])
	}
	right := 0
	for i, row := range rows[1:] {
		if row[0] != fmt.Sprint(i+1) {
			t.Fatalf("row %d is called %s", i+1, row[0])
		}
		if row[1] == truth[i] {
			right++
		}
	}
	if right < 4990 {
		t.Errorf("%d of 5000 labels are right", right)
	}
}

// labelsIn returns the last column.
func labelsIn(t *testing.T, content string) []string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(content)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var labels []string
	for _, row := range rows[1:] {
		labels = append(labels, row[len(row)-1])
	}
	return labels
}
