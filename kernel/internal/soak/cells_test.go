package soak

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// A cell is something that a front end asks of the kernel, and what comes of it.
type cell struct {
	kind   string
	source string
	// result is the text of the result, output what is printed, failure the name of the error.
	// Those that are empty must not come.
	result, output, failure string
	// interrupt says that the cell is to be interrupted once it runs, and answer what to type when
	// it asks.
	interrupt bool
	answer    string
	// late is how many goroutines outlive the cell, and then write.
	late int
	// moved is what is printed when the user moves the slider that the cell shows.
	moved string
	// ends says that the process which has the variables ends.
	ends bool
}

// A generator makes cells. It knows what the session holds, and so what each cell must give.
type generator struct {
	rand      *rand.Rand
	variables map[string]string // the text of each
	functions map[string]int    // what each adds to its argument
	types     map[string]int    // what the method of each adds to the sum of its fields
}

func newGenerator(seed uint64) *generator {
	return &generator{
		rand:      rand.New(rand.NewPCG(seed, seed)),
		variables: make(map[string]string),
		functions: make(map[string]int),
		types:     make(map[string]int),
	}
}

// kinds are what cells are, and how often among a thousand.
var kinds = []struct {
	often int
	make  func(*generator) cell
}{
	{170, (*generator).expression},
	{120, (*generator).variable},
	{100, (*generator).use},
	{70, (*generator).function},
	{70, (*generator).call},
	{40, (*generator).definition},
	{40, (*generator).method},
	{40, (*generator).goroutines},
	{40, (*generator).lateGoroutine},
	{60, (*generator).lines},
	{50, (*generator).display},
	{10, (*generator).widget},
	{50, (*generator).mistake},
	{50, (*generator).panics},
	{20, (*generator).interrupted},
	{25, (*generator).process},
	{15, (*generator).burst},
	{15, (*generator).input},
	{15, (*generator).statements},
}

func (g *generator) next() cell {
	n := g.rand.IntN(1000)
	for _, k := range kinds {
		if n -= k.often; n < 0 {
			return k.make(g)
		}
	}
	panic("the kinds of cells do not add up to a thousand")
}

// death is the cell that ends the worker, and with it the variables.
func (g *generator) death() cell {
	clear(g.variables)
	return cell{kind: "death", source: "syscall.Kill(syscall.Getpid(), syscall.SIGKILL)\nselect {}", failure: "WorkerDied", ends: true}
}

// anew is the cell that begins a session in which an executor runs cells.
func (g *generator) anew(executor string) cell {
	clear(g.variables)
	clear(g.functions)
	clear(g.types)
	return cell{kind: "anew", source: "%engine " + executor + "\n%reset", ends: true}
}

func (g *generator) expression() cell {
	a, b, c := g.rand.IntN(1000), g.rand.IntN(1000), g.rand.IntN(1000)
	return cell{kind: "expression", source: fmt.Sprintf("%d*%d + %d", a, b, c), result: fmt.Sprint(a*b + c)}
}

// variable declares a variable, whatever its type was before.
func (g *generator) variable() cell {
	name := fmt.Sprintf("v%d", g.rand.IntN(40))
	n := g.rand.IntN(1000)
	value, text := fmt.Sprint(n), fmt.Sprint(n)
	switch g.rand.IntN(5) {
	case 0:
		value, text = fmt.Sprintf("%d.5", n), fmt.Sprintf("%d.5", n)
	case 1:
		value, text = fmt.Sprintf("%q", fmt.Sprintf("s%d", n)), fmt.Sprintf("s%d", n)
	case 2:
		value, text = "true", "true"
	case 3:
		value, text = fmt.Sprintf("[]int{%d, 2}", n), fmt.Sprintf("[%d 2]", n)
	}
	g.variables[name] = text
	return cell{kind: "variable", source: name + " := " + value}
}

func (g *generator) use() cell {
	name, ok := anyOf(g, g.variables)
	if !ok {
		return g.expression()
	}
	return cell{kind: "use", source: name, result: g.variables[name]}
}

func (g *generator) function() cell {
	name, n := fmt.Sprintf("f%d", g.rand.IntN(20)), g.rand.IntN(1000)
	g.functions[name] = n
	return cell{kind: "function", source: fmt.Sprintf("func %s(x int) int {\n\ty := %d\n\treturn x + y\n}", name, n)}
}

func (g *generator) call() cell {
	name, ok := anyOf(g, g.functions)
	if !ok {
		return g.expression()
	}
	n := g.rand.IntN(1000)
	return cell{kind: "call", source: fmt.Sprintf("%s(%d)", name, n), result: fmt.Sprint(n + g.functions[name])}
}

func (g *generator) definition() cell {
	name, n := fmt.Sprintf("T%d", g.rand.IntN(10)), g.rand.IntN(1000)
	g.types[name] = n
	return cell{kind: "definition", source: fmt.Sprintf("type %[1]s struct{ A, B int }\n\nfunc (t %[1]s) Sum() int { return t.A + t.B + %[2]d }", name, n)}
}

func (g *generator) method() cell {
	name, ok := anyOf(g, g.types)
	if !ok {
		return g.expression()
	}
	n := g.rand.IntN(1000)
	return cell{kind: "method", source: fmt.Sprintf("%s{A: %d, B: 1}.Sum()", name, n), result: fmt.Sprint(n + 1 + g.types[name])}
}

func (g *generator) goroutines() cell {
	n := 1 + g.rand.IntN(50)
	return cell{
		kind: "goroutines",
		source: fmt.Sprintf(`var wait sync.WaitGroup
var count atomic.Int64
for i := range %d {
	wait.Add(1)
	go func() {
		defer wait.Done()
		count.Add(int64(i))
	}()
}
wait.Wait()
count.Load()`, n),
		result: fmt.Sprint(n * (n - 1) / 2),
	}
}

// lateGoroutine starts a goroutine that outlives the cell, and writes.
func (g *generator) lateGoroutine() cell {
	return cell{kind: "late goroutine", late: 1, source: fmt.Sprintf(`go func() {
	time.Sleep(%d * time.Millisecond)
	fmt.Println("late")
}()`, 200+g.rand.IntN(40))}
}

func (g *generator) lines() cell {
	n := 1 + g.rand.IntN(1000)
	var all strings.Builder
	for i := range n {
		fmt.Fprintln(&all, "line", i)
	}
	return cell{kind: "lines", source: fmt.Sprintf("for i := range %d {\n\tfmt.Println(\"line\", i)\n}", n), output: all.String()}
}

func (g *generator) display() cell {
	sources := []string{
		"shown := nb.Display(1)\nshown.Update(2)",
		`nb.HTML("<b>bold</b>")`,
		`nb.Display([]int{1, 2, 3});`,
		"nb.Text(strings.Repeat(\"x\", 10000))",
		"nb.Clear(true)",
	}
	return cell{kind: "display", source: sources[g.rand.IntN(len(sources))]}
}

// widget shows a slider that prints its value when it is moved, and is gone then.
func (g *generator) widget() cell {
	n := g.rand.IntN(1000)
	return cell{
		kind: "widget",
		source: fmt.Sprintf(`slider := nb.IntSlider(0, 1000, 1)
slider.OnChange(func(n int) {
	fmt.Println("moved to", n+%d)
	slider.Close()
})
nb.Display(slider)
nb.Text("")`, n),
		moved: fmt.Sprintln("moved to", n+7),
	}
}

func (g *generator) mistake() cell {
	sources := []string{"nowhere + 1", `var n int = "a"`, "func = 7", "x := )", "strings.ToUpper(1)", "for {"}
	return cell{kind: "mistake", source: sources[g.rand.IntN(len(sources))], failure: "CompileError"}
}

func (g *generator) panics() cell {
	sources := []string{
		`panic("at the disco")`,
		"var absent map[string]int\nabsent[\"a\"] = 1",
		"func() int {\n\tempty := []int{}\n\treturn empty[len(os.Args)+5]\n}()",
		"var nothing *struct{ A int }\nnothing.A",
	}
	return cell{kind: "panic", source: sources[g.rand.IntN(len(sources))], failure: "panic"}
}

func (g *generator) interrupted() cell {
	sources := []string{"time.Sleep(time.Hour)", "for {\n}", "<-make(chan int)", "select {}"}
	return cell{kind: "interrupted", source: "fmt.Println(\"begun\")\n" + sources[g.rand.IntN(len(sources))], interrupt: true, failure: "Interrupted"}
}

func (g *generator) process() cell {
	n := g.rand.IntN(1000)
	return cell{
		kind:   "process",
		source: fmt.Sprintf("said, failure := exec.Command(\"echo\", \"-n\", \"%d\").Output()\nfmt.Print(string(said), failure)", n),
		output: fmt.Sprintf("%d<nil>", n),
	}
}

func (g *generator) burst() cell {
	n := (1 + g.rand.IntN(20)) << 20
	return cell{kind: "burst", source: fmt.Sprintf("func() int { return len(make([]byte, %d)) }()", n), result: fmt.Sprint(n)}
}

func (g *generator) input() cell {
	answer := fmt.Sprint(g.rand.IntN(1000))
	return cell{kind: "input", source: "var typed int\nfmt.Scan(&typed)\ntyped + 1 - 1", answer: answer, result: answer}
}

func (g *generator) statements() cell {
	n := 1000 + g.rand.IntN(1000)
	return cell{kind: "statements", source: fmt.Sprintf(`counts := map[int]int{}
for i := range %d {
	switch {
	case i%%3 == 0:
		counts[0]++
	default:
		counts[1]++
	}
}
counts[0]`, n), result: fmt.Sprint((n + 2) / 3)}
}

// anyOf returns one of the keys, the same for the same seed.
func anyOf[V any](g *generator, m map[string]V) (string, bool) {
	if len(m) == 0 {
		return "", false
	}
	names := slices.Sorted(maps.Keys(m))
	return names[g.rand.IntN(len(names))], true
}
