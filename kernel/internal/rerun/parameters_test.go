package rerun

import (
	"strings"
	"testing"

	"github.com/hierml/notebook/internal/notebook"
)

const declaring = `%env A=b
C, n := 1.0, -3
set := "ng15"
var rate float32
var small uint8 = 1
quick := !true
half := 1 / 2.0
grid := []float64{0.1, 1}
var names []string
list := make([]int, 0)
copied := set
wide := int64(3)
const fixed = 1
when := time.Now()
C = 2`

func tagged(source, tag string) *notebook.Cell {
	return &notebook.Cell{Kind: notebook.Code, Source: source, Metadata: map[string]any{"tags": []any{tag}}}
}

func TestInject(t *testing.T) {
	for _, c := range []struct{ parameter, want string }{
		{"C=3", "C = 3"},
		{"C=1e-3", "C = 1e-3"},
		{"C=+3", "C = 3"},
		{"n=-5", "n = -5"},
		{"set=a \"b\"=c", `set = "a \"b\"=c"`},
		{"set=", `set = ""`},
		{"rate=.5", "rate = .5"},
		{"small=255", "small = 255"},
		{"quick=false", "quick = false"},
		{"half=2", "half = 2"},
		{"grid=0.1, 1,10", "grid = []float64{0.1, 1, 10}"},
		{"grid=[1, 2.5]", "grid = []float64{1, 2.5}"},
		{"grid=", "grid = []float64{}"},
		{`names=["a,b", "c"]`, `names = []string{"a,b", "c"}`},
		{"names=a,b", `names = []string{"a", "b"}`},
		{"list=1,2", "list = []int{1, 2}"},
		{"copied=x", `copied = "x"`},
		{"wide=9000000000", "wide = 9000000000"},
		{"nope=1", "there is no parameter nope: the cell with the tag parameters declares C, n, set, rate, small, quick, half, grid, names, list, copied, wide, fixed, when"},
		{"C=x", `the parameter C: "x" is not a value of type float64`},
		{"C=NaN", `the parameter C: "NaN" is not a value of type float64`},
		{"n=1.5", `the parameter n: "1.5" is not a value of type int`},
		{"small=256", "the parameter small: 256 is out of range for uint8"},
		{"quick=1", `the parameter quick: "1" is not a value of type bool`},
		{"grid=1,x", `the parameter grid: "x" is not a value of type float64`},
		{"fixed=2", "the parameter fixed: it is declared as a constant; a parameter is a variable"},
		{"when=now", "the parameter when: its type is unknown or not supported"},
		{"=1", `the parameter "=1" is not of the form NAME=VALUE`},
		{"C", `the parameter "C" is not of the form NAME=VALUE`},
	} {
		nb := &notebook.Notebook{Cells: []*notebook.Cell{{Kind: notebook.Markdown}, tagged(declaring, "parameters"), {Kind: notebook.Code}}}
		list, err := Parameters([]string{c.parameter})
		if err == nil {
			err = Inject(nb, list)
		}
		if err != nil {
			if !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("%s: %v, want %s", c.parameter, err, c.want)
			}
			if len(nb.Cells) != 3 {
				t.Errorf("%s: %d cells after an error", c.parameter, len(nb.Cells))
			}
			continue
		}
		if got, want := nb.Cells[2].Source, "// Parameters\n"+c.want; got != want || !nb.Cells[2].Tagged("injected-parameters") {
			t.Errorf("%s: %q, want %q", c.parameter, got, want)
		}
		if err := Inject(nb, []Parameter{{"n", "1"}}); err != nil || len(nb.Cells) != 4 || nb.Cells[2].Source != "// Parameters\nn = 1" {
			t.Errorf("once more: %v, %d cells", err, len(nb.Cells))
		}
	}
	if err := Inject(&notebook.Notebook{}, []Parameter{{"n", "1"}}); err == nil || !strings.Contains(err.Error(), "no cell of the notebook has the tag parameters") {
		t.Error(err)
	}
	if err := Inject(&notebook.Notebook{Cells: []*notebook.Cell{tagged("a := 1\nfunc f() {}", "parameters")}}, nil); err == nil || !strings.Contains(err.Error(), "line 2: it must not contain") {
		t.Error(err)
	}
	if list, err := Parameters([]string{"a=1", "b=2", "a=3"}); err != nil || len(list) != 2 || list[1] != (Parameter{"a", "3"}) {
		t.Error(list, err)
	}
}
