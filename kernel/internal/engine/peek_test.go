package engine_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hierml/notebook/kernel/internal/engine"
	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/stdlib"
)

// TestInspectValues looks at the values that inspection shows of variables.
func TestInspectValues(t *testing.T) {
	enginetest.FailOnFaults(t)
	n := newNotebook(t)
	for _, source := range []string{
		"yes := true; number := 3; ratio := 1.5; letter := 'a'; z := 1 + 2i",
		"word := \"a \\\"b\\\"\"; long := strings.Repeat(\"é\", 500); wait := 1500 * time.Millisecond",
		"few := []int{1, 2, 3}; many := make([]float64, 1000); none := []string(nil); counts := map[string]int{\"a\": 1}",
		"type P struct{ X, Y int }\np := P{1, 2}; pp := &p; ps := []P{p}; var nothing *P; grid := [2][2]int{{1, 2}, {3, 4}}",
		"type Loud int\nfunc (l Loud) String() string { panic(\"loud\") }\nloud := Loud(1); louds := []Loud{1}",
		"type Box struct{ Inner []int }\nbox := Box{}; var err error; f := func() {}; var g func(); ch := make(chan int, 3); now := time.Now()",
		"const limit = 3",
		"func shadow(number string) string { return number }",
	} {
		if _, _, err := n.run(source); err != nil {
			t.Fatalf("%s: %v", source, err)
		}
	}
	for _, tt := range []struct{ source, want string }{
		{"yes|", "true"},
		{"number|", "3"},
		{"fmt.Println(num|ber)", "3"},
		{"ratio|", "1.5"},
		{"letter|", "97"},
		{"z|", "(1+2i)"},
		{"word|", `"a \"b\""`},
		{"long|", `"` + strings.Repeat("é", 100) + `"...`},
		{"wait|", "1.5s"},
		{"few|", "[1 2 3]"},
		{"many|", "length 1000"},
		{"none|", "[]"},
		{"counts|", "length 1"},
		{"p|", "P{X:1 Y:2}"},
		{"p|p", ""},
		{"ps|", "[{X:1 Y:2}]"},
		{"nothing|", "nil"},
		{"grid|", "[[1 2] [3 4]]"},
		{"loud|", ""},
		{"louds|", "length 1"},
		{"box|", ""},
		{"err|", "nil"},
		{"f|", ""},
		{"g|", "nil"},
		{"ch|", "length 0"},
		{"now|", ""},
		{"limit|", ""},
		{"p.X|", ""},
		{"func h(number string) { num|ber }", ""},
		{"number := \"\"\nnum|ber", ""},
	} {
		source, cursor := enginetest.Cursor(t, tt.source)
		bundle := n.engine.Inspect(source, cursor, 0)
		if bundle == nil {
			t.Errorf("%s: nothing", tt.source)
			continue
		}
		plain, _ := bundle.Data["text/plain"].(string)
		value := ""
		if _, after, ok := strings.Cut(plain, "\n\nValue:\n\n"); ok {
			value, _, _ = strings.Cut(after, "\n")
		}
		if value != tt.want || !utf8.ValidString(plain) {
			t.Errorf("%s: value %q, want %q, in\n%s", tt.source, value, tt.want, plain)
		}
	}
	// What was looked at is as it was, and so is what cells showed.
	if value, _, err := n.run("number + len(few)"); err != nil || value != "6" {
		t.Errorf("value %s, %v", value, err)
	}
	if n.engine.Inspect("number", 6, 0) == nil {
		t.Error("nothing")
	}
	if value, _, err := n.run("_"); err != nil || value != "6" {
		t.Errorf("the last value is %s, %v", value, err)
	}
}

// TestInspectWhileCellRuns asks for a variable whose value another cell may be changing.
func TestInspectWhileCellRuns(t *testing.T) {
	executor := &held{running: make(chan bool), release: make(chan bool)}
	e := engine.New(engine.Config{Executor: executor, Importer: stdlib.Importer, Preloaded: stdlib.Preloaded})
	if _, err := e.Lower(program.Cell{Number: 1, Source: "number := 3"}); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := e.Run(t.Context(), program.Cell{Number: 2, Source: "time.Sleep(time.Hour)"}, &enginetest.Recorder{})
		ended <- err
	}()
	<-executor.running
	bundle := e.Inspect("number", 6, 0)
	if bundle == nil {
		t.Fatal("nothing")
	}
	if plain, _ := bundle.Data["text/plain"].(string); strings.Contains(plain, "Value:") || !strings.HasPrefix(plain, "var number int") {
		t.Errorf("%s", plain)
	}
	close(executor.release)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
