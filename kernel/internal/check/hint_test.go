package check_test

import (
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/program"
)

// TestMeant looks at what stands behind complaints, to help.
func TestMeant(t *testing.T) {
	session := enginetest.NewSession()
	if _, err := session.Lower(program.Cell{Number: 1, Source: `import "strconv"
func one(fail bool) (int, error) { return 1, nil }
type Model struct{ Weights []float64; Bias float64 }
func (m *Model) Predict() int { return 0 }
var model = Model{}
var training = []int{1}
func chain() (*Model, error) { return nil, nil }`}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ cell, hint string }{
		{"trainign", "undefined: trainign (did you mean training?)"},
		{"Training", "undefined: Training (did you mean training?)"},
		{"for threshold := range 3 { fmt.Println(treshold) }", "undefined: treshold (did you mean threshold?)"},
		{"f := func() int {\n\tcount := 1\n\treturn cuont\n}", "undefined: cuont (did you mean count?)"}, // two letters of five, which changed places
		{"f := func() int {\n\tcount := 1\n\treturn coutn + counts\n}", "undefined: counts (did you mean count?)"},
		{"string.ToUpper(\"a\")", "string.ToUpper undefined (type string has no field or method ToUpper)"},
		{"stirngs.ToUpper(\"a\")", "undefined: stirngs (did you mean strings?)"},
		{"string2.ToUpper(\"a\")", "undefined: string2 (did you mean string?)"},
		{"strings.ToUper(\"a\")", "undefined: strings.ToUper (did you mean ToUpper?)"},
		{"taxonmy.Read(nil, \"\")", "undefined: taxonmy (did you mean taxonomy?)"},
		{"model.Wieghts", "(did you mean Weights?)"},
		{"model.Weight", "model.Weight undefined (type Model has no field or method Weight) (did you mean Weights?)"},
		{"model.Predicts()", "(did you mean Predict?)"},
		{"Model{Biass: 1}", "unknown field Biass in struct literal of type Model (did you mean Bias?)"},
		{"summ", "undefined: summ"},
		{"sum", "undefined: sum"},
		{"svn.Flat{}", "undefined: svn"},
		{"smv.Flat{}", "undefined: smv (did you mean svm?)"},
		{"fmtt.Println()", "undefined: fmtt (did you mean fmt?)"},
		{"training, model", "(one expression is shown at the end of a cell: fmt.Println(training, model) prints all)"},
		{"x := 1\nx, len(training), training[0]", "(one expression is shown at the end of a cell: fmt.Println(x, len(training), training[0]) prints all)"},
		{"n := 3\nn(2)", "int is not a function (n is a variable: write it without parentheses)"},
		{"model.Bias(2)", "(model.Bias is a field: write it without parentheses)"},
		{"training(0)", "(training[0] is an element of it)"},
		{"model.Weights(3)", "(model.Weights[3] is an element of it)"},
		{"f := Model", "Model (type) is not an expression (Model{…} makes a value of the type: name its fields in the braces)"},
		{"e := svm.Flat(1)", "(svm.Flat{…} makes a value of the type: name its fields in the braces)"},
		{"var e classifier.Estimator = clustering.Automatic{Estimator: svm.Flat{}}", "(its Fit returns a model of another type, *clustering.Translated: fit it alone, m := e.Fit(nb.Context(), d), and compare models with metric.Evaluate(m, test))"},
		{"entirely_else", "undefined: entirely_else"},
		{"strings.Repeat(one(false), 2)", "cannot use one(false) (value of type int) as string value in argument to strings.Repeat"},
		{"chain().Predict(\") (\", one(false))", "too many arguments in call to chain().Predict\n\thave (string, int)\n\twant ()"},
		{"func f() int { return 1 + one(false) }", "(one also returns an error: assign both in a statement before, x, err := one(…), or panic with it by must(one(…)))"},
		{"f := func() int { return 1 + one(false) }", "(one also returns an error: assign both in a statement before, x, err := one(…), or panic with it by must(one(…)))"},
		{"return_ := func() any { return one(false) }", "want (any) (one also returns an error: let the function return (any, error))"},
		{"func model_() *Model { return chain() }", "want (*Model) (chain also returns an error: let the function return (*Model, error))"},
		{"func model_() (*Model, int) { return chain() }", "as int value in return statement"},
		{"rest := strings.CutPrefix(\"ab\", \"a\")", "(CutPrefix also returns whether it succeeded: rest, ok := strings.CutPrefix(…))"},
		{"func f() {\n\tv := one(false)\n\t_ = v\n}", "(one also returns an error: v, err := one(…))"},
		{"Model{}.Predict()", "cannot call pointer method Predict on Model (assign the value to a variable first: v := Model{…}; v.Predict(…))"},
		{"func f() Model { return model }\nf().Predict()", "(assign the value to a variable first: v := …; v.Predict(…))"},
		{"experiment.Study{}.Run(nb.Context())", "(assign the value to a variable first: v := experiment.Study{…}; v.Run(…))"},
		{"Model{bias: 1}", "unknown field bias in struct literal of type Model, but does have Bias"},
		{"image.Point{x: 1}", "unknown field x in struct literal of type image.Point (did you mean X?)"},
		{"image.Point{Lambda: 1}", "unknown field Lambda in struct literal of type image.Point (it has X, Y)"},
		{"e := svm.Flat{}\ne.Predict(nil)", "(the result of Fit has it: m := e.Fit(…))"},
		{"svm.Flat{}.Predict(nil)", "(the result of Fit has it: m := svm.Flat{}.Fit(…))"},
		{"svm.Flat{}.Fit(nil)", "want (context.Context, *dataset.Dataset) (nb.Context() is the context of the cell)"},
		{"for i in range 10 { fmt.Println(i) }", "(for i := range 10 { … })"},
		{"while len(xs) < 3 { x++ }", "(for len(xs) < 3 { … })"},
		{"ys := [x*x for x in range(10)]", "(Go has no comprehensions: for _, x := range xs { ys = append(ys, f(x)) })"},
		{"train, test = math.Modf(1.5)", "undefined: test (train, test := math.Modf(1.5) declares it)"},
		{"df = 3", "undefined: df (df := 3 declares it)"},
		{"trainign = nil", "undefined: trainign (did you mean training?)"},
		{"yy = 3", "undefined: yy (yy := 3 declares it)"},
		{"yy, zz := 1, 2\nyy, ww = 3, 4", "undefined: ww (yy, ww := … declares it)"},
		{"x := svm.Flat(C=1)", "(svm.Flat{C: 1})"},
		{"svm.Flat(C=1, Loss=loss.Path{}).Fit()", "(svm.Flat{C: 1, Loss: loss.Path{}})"},
		{"x := round(1.5, digits=3)", "(Go has no named arguments: their order counts, and settings are fields, as in svm.Flat{C: 1})"},
		{"training.Split(test_size=0.3)", "(Go has no named arguments: corpus.Split(0.3, 1))"},
		{"train, test = train_test_split(x, y, test_size=0.3, stratify=y)", "(train, test := corpus.Split(0.3, 1))"},
		{"m = LinearSVC(C=1.0)", "(model := svm.OneVsRest{C: 1, Loss: solver.SquaredHinge}.Fit(nb.Context(), trainSet))"},
		{"v = TfidfVectorizer(min_df=2, ngram_range=(1, 2))", "(words := features.Text{MinDocuments: 2}.Fit(train))"},
		{"words.Fit(max_df=0.5)", "(Go has no named arguments: model := svm.Flat{C: 1}.Fit(nb.Context(), trainSet))"},
		{"ys := list(f(x) for x in xs if g(x, k=3))", "(Go has no comprehensions: for _, x := range xs { ys = append(ys, f(x)) })"},
		{"ys := {k: v for k, v in xs}", "(Go has no comprehensions: for _, x := range xs { ys = append(ys, f(x)) })"},
		{"help(svm)", "use of package svm not in selector (no cell has declared a variable svm; the package is github.com/hierml/notebook/hierml/svm)"},
		{"features.Text{NGrams: (1, 2)}", "(Go has no tuples: [2]int{1, 2})"},
		{"print \"a\"", "(fmt.Println(\"a\"))"},
		{"pd.DataFrame({\"a\": [1, 2]})", "(table := dataset.NewTable(\"mine\", dataset.Numbers(\"size\", 1, 2), dataset.Words(\"kind\", \"a\", \"b\")))"},
		{"ct := ColumnTransformer([(\"t\", TfidfVectorizer(), \"text\")])", "(columns := features.Columns{}.Fit(nb.Context(), table))"},
		{"type(training)", "(fmt.Printf(\"%T\\n\", training))"},
		{"x := Model{}\nx.score", "x.score undefined (type Model has no field or method score)"},
		{"x = [1, 2]", "(x := []int{1, 2})"},
		{"x = [1.5, 2]", "(x := []float64{1.5, 2})"},
		{"x := ['a', 'b']", "(x := []string{\"a\", \"b\"})"},
		{"x = [\"a\"]", "(x := []string{\"a\"})"},
		{"x = {\"a\": 1}", "(x := map[string]int{\"a\": 1}, with the types of keys and values)"},
		{"for i in range(3):\n\tprint(i)", "unexpected in, expected { (for i := range 3 { … })\nCell [2]:2:10: syntax error: unexpected end of cell"},
		{"for i in range(3): print(i)", "(for i := range 3 { … })"},
		{"for x in xs[1:3]: print(x)", "(for _, x := range xs[1:3] { … })"},
		{"while x < 3: x += 1", "(for x < 3 { … })"},
		{"if x == 3: print(x)", "(if x == 3 { … })"},
		{"for i in range(3)", "(for i := range 3 { … })"},
		{"for i in range(1, n):", "(for i := 1; i < n; i++ { … })"},
		{"for x in training:", "(for _, x := range training { … })"},
		{"while x < 3:", "(for x < 3 { … })"},
		{"import numpy as np", "(use the packages mat, floats and stat of gonum, and dataset: they need no import)"},
		{"import pandas", "(use the packages mat, floats and stat of gonum, and dataset: they need no import)"},
		{"import strings", "(import \"strings\", with the path of the package in quotes)"},
		{"from sklearn.svm import LinearSVC", "(model := svm.OneVsRest{C: 1, Loss: solver.SquaredHinge}.Fit(nb.Context(), trainSet))"},
		{"from sklearn.pipeline import Pipeline as P, make_pipeline", "(p := pipeline.Pipeline{Vectorizer: words, Model: model})"},
		{"from sklearn import svm", "(use svm, perceptron, metric and the other packages of hierml: they need no import)"},
		{"from hiclass import Explainer", "(use svm, perceptron, metric and the other packages of hierml: they need no import)"},
		{"def f(x):\n\treturn x", "(func f(x int) int { … }, with the types of parameters and result)"},
		{"if training == 3:", "(if training == 3 { … })"},
		{"f'{training}'", "(fmt.Sprintf(\"… %v\", x))"},
		{"y := f\"{training}\"", "(fmt.Sprintf(\"… %v\", x))"},
		{"x := lambda y: y", "(func(x int) int { return … })"},
		{"None", "undefined: None (write nil)"},
		{"x := True", "undefined: True (did you mean true?)"},
		{"np.linspace(1, 2)", "undefined: np (mat, floats and stat of gonum need no import)"},
		{"func zz() {}\nx, zy := 1, 2\nfunc zz() {}\nx.y", "Cell [2]:3:6: zz redeclared in this block\nCell [2]:1:6: \tother declaration of zz\nCell [2]:4:3: x.y undefined (type int has no field or method y)"},
		{"# a comment", "(comments begin with //)"},
		{"svm := 3\nsvm.Flat{}", "(the variable svm hides the package svm: rename it, or import the package under another name)"},
		{"func f() {\n\tif true {\n\t\tprintln(1)\n}", "(the { of line 1 is not closed)"},
		{"x := metric", "use of package metric not in selector (no cell has declared a variable metric; the package is github.com/hierml/notebook/hierml/metric)"},
		{"fmt.println(\"hi\")", "undefined: fmt.println (but have Println)"},
		{"fmt.Println('hello')", "syntax error: illegal rune literal (write text in double quotes)"},
		{"fmt.Println('hello", "(write text in double quotes)"},
	} {
		_, err := session.Check(program.Cell{Number: 2, Source: c.cell})
		if err == nil || !strings.HasSuffix(err.Error(), c.hint) {
			t.Errorf("%s: %v, want an error that ends in %q", c.cell, err, c.hint)
		}
	}
}
