package toolchain

import "testing"

// TestImported tries what depends on how symbols of the program are imported: tables of methods,
// deferred calls, instances, and values that libraries look into.
func TestImported(t *testing.T) {
	h := open(t, false)
	for _, test := range []struct {
		name, declarations string
		imports            []string
		want               string
	}{
		{"deferred methods", `
func runˑ() {
	var mu sync.Mutex
	mu.Lock()
	defer mu.Unlock()
	defer func() { fmt.Print(recover()) }()
	var m map[string]int
	m["a"] = 1
}`, []string{"fmt", "sync"}, "assignment to entry in nil map"},
		{"methods by reflection", `
type point struct{ X, Y int }
func (p point) Norm() int { return p.X*p.X + p.Y*p.Y }
func (p *point) Move(d int) { p.X += d }
func runˑ() {
	p := &point{3, 4}
	v := reflect.ValueOf(p)
	v.MethodByName("Move").Call([]reflect.Value{reflect.ValueOf(1)})
	fmt.Print(v.MethodByName("Norm").Call(nil)[0], v.Type().NumMethod(), reflect.TypeFor[time.Duration]().NumMethod() > 5)
}`, []string{"fmt", "reflect", "time"}, "32 2 true"},
		{"embedded types of the program", `
type named struct {
	*bytes.Buffer
	time.Duration
	mu sync.Mutex
}
func (n named) String() string { return n.Duration.String() + n.Buffer.String() }
func runˑ() {
	n := &named{Buffer: bytes.NewBufferString("x"), Duration: time.Minute}
	var w io.Writer = n
	fmt.Fprint(w, "y")
	var s fmt.Stringer = n
	fmt.Print(s, n.Minutes())
}`, []string{"bytes", "fmt", "io", "sync", "time"}, "1m0sxy 1"},
		{"instances", `
type key struct{ a, b int }
func runˑ() {
	m := map[key][]string{{2, 1}: {"b"}, {1, 2}: {"a"}}
	keys := slices.SortedFunc(maps.Keys(m), func(x, y key) int { return x.a - y.a })
	var p atomic.Pointer[key]
	p.Store(&keys[0])
	next, stop := iter.Pull(slices.Values(keys))
	defer stop()
	k, _ := next()
	var sm sync.Map
	sm.Store(k, 1)
	_, ok := sm.Load(key{1, 2})
	fmt.Print(keys, *p.Load(), k, ok)
}`, []string{"fmt", "iter", "maps", "slices", "sync", "sync/atomic"}, "[{1 2} {2 1}] {1 2} {1 2} true"},
		{"encodings", `
type item struct {
	Name string    ` + "`json:\"name\"`" + `
	At   time.Time ` + "`json:\"at\"`" + `
	Tags map[string][]float64
}
func runˑ() {
	var i item
	err := json.Unmarshal([]byte(` + "`{\"name\": \"a\", \"at\": \"2020-01-02T03:04:05Z\", \"Tags\": {\"x\": [1.5]}}`" + `), &i)
	var b bytes.Buffer
	fmt.Print(err, gob.NewEncoder(&b).Encode(i))
	var j item
	fmt.Print(gob.NewDecoder(&b).Decode(&j), reflect.DeepEqual(i, j), fmt.Sprintf("%+v", j))
}`, []string{"bytes", "encoding/gob", "encoding/json", "fmt", "reflect", "time"}, "<nil> <nil><nil> true{Name:a At:2020-01-02 03:04:05 +0000 UTC Tags:map[x:[1.5]]}"},
		{"errors", `
type failure struct{ code int }
func (f *failure) Error() string { return fmt.Sprint("failure ", f.code) }
func runˑ() {
	err := fmt.Errorf("in: %w", &failure{3})
	var f *failure
	_, notFound := os.Open("/nowhere/at/all")
	var path *fs.PathError
	fmt.Print(errors.As(err, &f), f, errors.Is(notFound, fs.ErrNotExist), errors.As(notFound, &path))
}`, []string{"errors", "fmt", "io/fs", "os"}, "true failure 3 true true"},
		{"collected garbage", `
type node struct {
	next *node
	data [100]*string
	list []any
}
var root *node
func runˑ() {
	for i := range 20000 {
		s := fmt.Sprint(i)
		n := &node{next: root, list: []any{i, s, &s}}
		n.data[i%100] = &s
		if i%1000 != 0 { continue }
		root = n
	}
	runtime.GC()
	count := 0
	for n := root; n != nil; n = n.next {
		for _, s := range n.data { if s != nil && *s == n.list[1] { count++ } }
	}
	fmt.Print(count)
}`, []string{"fmt", "runtime"}, "20"},
		{"goroutines", `
func runˑ() {
	c := make(chan func() int)
	var wg sync.WaitGroup
	for i := range 4 { wg.Go(func() { c <- func() int { return i } }) }
	go func() { wg.Wait(); close(c) }()
	sum := 0
	for f := range c { sum += f() }
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	<-ctx.Done()
	fmt.Print(sum, ctx.Err())
}`, []string{"context", "fmt", "sync", "time"}, "6 context deadline exceeded"},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := h.builder(t)
			plugin, err := b.Build(t.Context(), []Unit{text("cell/1", test.declarations, test.imports...)})
			if err != nil {
				t.Fatal(err)
			}
			if got := h.run(t, plugin+"=cell/1"); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			for _, text := range b.refused {
				t.Errorf("the linker took a slower way: %s", text)
			}
		})
	}
}
