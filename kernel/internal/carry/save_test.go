package carry_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
	"github.com/hierml/notebook/kernel/internal/carry"
	"github.com/hierml/notebook/kernel/internal/compiled/cell"
	"github.com/hierml/notebook/kernel/internal/program"
)

// restore saves variables and loads them into others of the same types.
func restore(t testing.TB, saved map[string]any) (loaded map[string]reflect.Value, lost []carry.Lost) {
	t.Helper()
	var from, to []carry.Named
	loaded = map[string]reflect.Value{}
	for name, p := range saved {
		v := reflect.ValueOf(p).Elem()
		from = append(from, carry.Named{Name: name, Value: v})
		loaded[name] = reflect.New(v.Type()).Elem()
		to = append(to, carry.Named{Name: name, Value: loaded[name]})
	}
	var text bytes.Buffer
	lost, err := carry.Save(&text, from)
	if err != nil {
		t.Fatal(err)
	}
	more, err := carry.Load(&text, int64(text.Len()), to)
	if err != nil {
		t.Fatal(err)
	}
	if len(more) > 0 {
		t.Errorf("types are not found: %v", more)
	}
	return loaded, lost
}

func TestSaved(t *testing.T) {
	type pair[K comparable, V any] struct {
		key   K
		value V
	}
	type tree struct {
		name  string
		left  *tree
		right *tree
		any   any
	}
	root := &tree{name: "root", left: &tree{name: "left"}}
	root.right = root.left
	root.left.any = root
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		zone = time.FixedZone("X", 3600)
	}
	var locked sync.Mutex
	locked.Lock()
	for name, v := range map[string]any{
		"numbers":    []any{1, int8(2), 3.5, complex(1, 2), true, "text", 'x', uintptr(7)},
		"nil":        []any{nil, (*int)(nil), []int(nil), map[string]int(nil), error(nil)},
		"empty":      []any{[]int{}, map[string]int{}, struct{}{}, [0]int{}, ""},
		"floats":     []float64{1, 2, 3},
		"large":      make([]float64, 100_000),
		"map":        map[string][]int{"a": {1}, "b": nil},
		"struct key": map[pair[string, int]]string{{"a", 1}: "x"},
		"any key":    map[any]any{1: "x", "a": 2, [2]int{1, 2}: 3},
		"anonymous":  struct{ A, B int }{1, 2},
		"tree":       root,
		"generic":    []any{pair[string, []int]{"a", []int{1}}},
		"big":        big.NewInt(0).Exp(big.NewInt(3), big.NewInt(500), nil),
		"matrix":     mat.NewDense(2, 2, []float64{1, 2, 3, 4}),
		"time":       []time.Time{time.Date(2026, 11, 21, 1, 2, 3, 4, time.UTC), time.Unix(5, 6).In(zone), time.Unix(7, 8)},
		"regexp":     regexp.MustCompile("a(b|c)*d"),
		"error":      []error{io.EOF, fmt.Errorf("wrapped: %w", io.ErrUnexpectedEOF), os.ErrNotExist},
		"type":       []any{reflect.TypeFor[tree](), reflect.TypeFor[int]()},
		"unexported": &locked,
	} {
		t.Run(name, func(t *testing.T) {
			loaded, lost := restore(t, map[string]any{"v": &v})
			if name == "unexported" {
				if len(lost) != 1 || !loaded["v"].Elem().Interface().(*sync.Mutex).TryLock() {
					t.Error("the lock is held", lost)
				}
				return
			}
			if len(lost) > 0 {
				t.Error(lost)
			}
			got := loaded["v"].Interface()
			if !reflect.DeepEqual(got, v) {
				t.Errorf("got %#v, want %#v", got, v)
			}
			switch got := got.(type) {
			case []error:
				if got[0] != io.EOF || !errors.Is(got[1], io.ErrUnexpectedEOF) {
					t.Error("the library's own values are others")
				}
			case []time.Time:
				if got[2].Location() != time.Local {
					t.Error("the local time is another")
				}
			case *regexp.Regexp:
				if !got.MatchString("xabcbd") {
					t.Error("does not match")
				}
			case *tree:
				if got == root || got.left != got.right || got.left.any != any(got) {
					t.Error("not the same form")
				}
			}
		})
	}
}

func TestSavedShared(t *testing.T) {
	x, array := 1, [4]int{1, 2, 3, 4}
	p, inner, all := &x, &array[2], array[:]
	list := []int{1, 2, 3, 4, 5, 6}
	first, second := list[:3], list[2:5:5]
	var self any
	self = &self
	m := map[string]any{}
	m["m"], m["p"] = m, p
	var b strings.Builder
	b.WriteString("abc")
	var shared sync.Map
	shared.Store("p", p)
	overlap := [][]int{make([]int, 3, 10)[:1:2], nil}
	whole := make([]int, 10)
	overlap[0], overlap[1] = whole[2:5:6], whole[4:9:9]

	v, lost := restore(t, map[string]any{"x": &x, "array": &array, "p": &p, "inner": &inner, "all": &all, "list": &list,
		"first": &first, "second": &second, "self": &self, "m": &m, "b": &b, "shared": &shared, "overlap": &overlap})
	if len(lost) > 0 {
		t.Error(lost)
	}
	newX := v["x"].Addr().Interface().(*int)
	newArray := v["array"].Addr().Interface().(*[4]int)
	if v["p"].Interface().(*int) != newX || v["inner"].Interface().(*int) != &newArray[2] || &v["all"].Interface().([]int)[0] != &newArray[0] {
		t.Error("pointers do not lead to the variables")
	}
	newList := v["list"].Interface().([]int)
	if a, b := v["first"].Interface().([]int), v["second"].Interface().([]int); &a[0] != &newList[0] || &b[0] != &newList[2] || cap(b) != 3 || cap(a) != 6 {
		t.Error("slices do not share")
	}
	if v["self"].Interface().(*any) != v["self"].Addr().Interface() {
		t.Error("a cycle is lost")
	}
	newM := v["m"].Interface().(map[string]any)
	if reflect.ValueOf(newM["m"]).Pointer() != reflect.ValueOf(newM).Pointer() || newM["p"] != any(newX) {
		t.Error("a map in itself is another")
	}
	builder := v["b"].Addr().Interface().(*strings.Builder)
	builder.WriteString("d") // panics if it was copied
	if builder.String() != "abcd" {
		t.Error(builder.String())
	}
	if got, _ := v["shared"].Addr().Interface().(*sync.Map).Load("p"); got != any(newX) {
		t.Error("a sync.Map has other values")
	}
	o := v["overlap"].Interface().([][]int)
	if len(o[0]) != 3 || len(o[1]) != 5 || &o[0][2] != &o[1][0] {
		t.Error("slices that overlap do not share")
	}
}

func TestSavedLost(t *testing.T) {
	type box struct {
		name string
		f    func()
		c    chan int
	}
	x := box{"x", func() {}, make(chan int)}
	file := os.Stdout
	list := []any{1, func() {}, time.NewTimer(time.Hour), "end"}
	fine := 3
	v, lost := restore(t, map[string]any{"x": &x, "file": &file, "list": &list, "fine": &fine})
	got := map[string]string{}
	for _, l := range lost {
		got[l.Name] = l.String()
	}
	want := map[string]string{
		"x":    "x.f: a function value (and 1 more)",
		"file": "a value of type os.File",
		"list": "list[1]: a function value (and 1 more)",
	}
	// The library's own file is there in every process, so it is not lost when it lies in the
	// program's memory.
	if file2 := v["file"].Interface().(*os.File); file2 == os.Stdout {
		delete(want, "file")
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if y := v["x"].Interface().(box); y.name != "x" || y.f != nil || y.c != nil {
		t.Errorf("%v", y.name)
	}
	if !reflect.DeepEqual(v["list"].Interface(), []any{1, nil, nil, "end"}) || v["fine"].Int() != 3 {
		t.Error(v["list"], v["fine"])
	}
}

// TestSavedTypeLost holds that each variable is named which holds something of a type that the
// process that loads it does not have, or has several of by that name.
func TestSavedTypeLost(t *testing.T) {
	made := reflect.New(reflect.StructOf([]reflect.StructField{{Name: "Made", Type: reflect.TypeFor[int]()}})).Elem().Interface()
	twin := func() any {
		type twin struct{ n int }
		return twin{1}
	}()
	other := func() any {
		type twin struct{ n float64 }
		return &twin{1}
	}()
	list := []any{1, made, "x", made}
	pointer := any(&list)
	typ := any(reflect.TypeOf(made))
	fine := any(3)
	var from, to []carry.Named
	loaded := map[string]*any{}
	for _, v := range []struct {
		name string
		p    *any
	}{{"made", &made}, {"twin", &twin}, {"other", &other}, {"pointer", &pointer}, {"typ", &typ}, {"fine", &fine}} {
		loaded[v.name] = new(any)
		from = append(from, carry.Named{Name: v.name, Value: reflect.ValueOf(v.p).Elem()})
		to = append(to, carry.Named{Name: v.name, Value: reflect.ValueOf(loaded[v.name]).Elem()})
	}
	var text bytes.Buffer
	if lost, err := carry.Save(&text, from); err != nil || len(lost) > 0 {
		t.Fatal(lost, err)
	}
	lost, err := carry.Load(&text, int64(text.Len()), to)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, l := range lost {
		got[l.Name] = l.String()
	}
	const why = "its type no longer exists: "
	want := map[string]string{
		"made": why + "struct { Made int }", "twin": why + "carry_test.twin", "other": why + "*carry_test.twin",
		"pointer": "pointer[1]: " + why + "struct { Made int } (and 1 more)", "typ": why + "struct { Made int }",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if *loaded["made"] != nil || *loaded["twin"] != nil || *loaded["other"] != nil || *loaded["fine"] != any(3) || !reflect.DeepEqual(*loaded["pointer"], any(&[]any{1, nil, "x", nil})) {
		t.Error(loaded)
	}
}

// A knot is part of a random graph.
type knot struct {
	number int
	next   *knot
	list   []*knot
	part   []knot
	bag    map[string]*knot
	held   any
	array  [2]*knot
	inner  *int
}

// graph returns knots that are tied at random.
func graph(r *rand.Rand) []*knot {
	pool := make([]knot, 1+r.IntN(20))
	all := make([]*knot, 0, 2*len(pool))
	for i := range pool {
		all = append(all, &pool[i], new(knot))
	}
	pick := func() *knot {
		if r.IntN(4) == 0 {
			return nil
		}
		return all[r.IntN(len(all))]
	}
	for i, k := range all {
		k.number = i
		k.next = pick()
		for range r.IntN(3) {
			k.list = append(k.list, pick())
		}
		if a := r.IntN(len(pool)); r.IntN(2) == 0 {
			k.part = pool[a:]
		}
		if r.IntN(3) == 0 {
			k.bag = map[string]*knot{"a": pick(), fmt.Sprint(i): pick()}
		}
		k.array[r.IntN(2)] = pick()
		k.inner = &all[r.IntN(len(all))].number
		switch r.IntN(5) {
		case 0:
			k.held = pick()
		case 1:
			k.held = []any{pick(), k.list, 3}
		case 2:
			k.held = map[any]int{i: 1, "x": 2}
		case 3:
			k.held = k.inner
		}
	}
	return all
}

// form numbers the pointers of a graph in the order in which they are met, so that two that are
// tied alike are equal as texts.
func form(all []*knot) string {
	numbers := map[any]int{}
	var b strings.Builder
	number := func(p any, isNil bool) bool {
		if isNil {
			b.WriteString("-")
			return false
		}
		n, ok := numbers[p]
		if !ok {
			n = len(numbers)
			numbers[p] = n
		}
		fmt.Fprintf(&b, "%d ", n)
		return !ok
	}
	var visit func(k *knot)
	visit = func(k *knot) {
		if !number(k, k == nil) {
			return
		}
		fmt.Fprint(&b, "(", k.number, len(k.list), len(k.part), cap(k.part), len(k.bag), " ")
		number(k.inner, k.inner == nil)
		visit(k.next)
		for _, x := range k.list {
			visit(x)
		}
		for i := range k.part {
			visit(&k.part[i])
		}
		for _, x := range k.array {
			visit(x)
		}
		visit(k.bag["a"])
		switch h := k.held.(type) {
		case *knot:
			visit(h)
		case *int:
			number(h, false)
		case []any:
			visit(h[0].(*knot))
			for i := range h[1].([]*knot) {
				number(&h[1].([]*knot)[i], false)
			}
		default:
			fmt.Fprint(&b, h)
		}
		b.WriteString(")")
	}
	for _, k := range all {
		visit(k)
	}
	return b.String()
}

func TestRandomGraphs(t *testing.T) {
	for seed := range uint64(300) {
		all := graph(rand.New(rand.NewPCG(seed, 1)))
		want := form(all)
		v, lost := restore(t, map[string]any{"all": &all})
		got := v["all"].Interface().([]*knot)
		if len(lost) > 0 || form(got) != want || !reflect.DeepEqual(got, all) {
			t.Fatalf("seed %d: a graph is another (%v)", seed, lost)
		}
	}
}

func FuzzLoad(f *testing.F) {
	var text bytes.Buffer
	all := graph(rand.New(rand.NewPCG(1, 1)))
	var any1 any = []any{1, "x", map[any]any{1: 2}, [3]int{}, &all}
	if _, err := carry.Save(&text, []carry.Named{{Name: "all", Value: reflect.ValueOf(&all).Elem()}, {Name: "any1", Value: reflect.ValueOf(&any1).Elem()}}); err != nil {
		f.Fatal(err)
	}
	f.Add(text.Bytes())
	for i := 0; i < text.Len(); i += 41 {
		broken := bytes.Clone(text.Bytes())
		broken[i] ^= 0x55
		f.Add(broken)
		f.Add(broken[:i])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var all []*knot
		var any1 any
		// Whatever comes, there is no panic, and an error if it ends too soon.
		_, err := carry.Load(bytes.NewReader(data), int64(len(data)), []carry.Named{{Name: "all", Value: reflect.ValueOf(&all).Elem()}, {Name: "any1", Value: reflect.ValueOf(&any1).Elem()}})
		if err == nil && len(data) < 20 {
			t.Error("no error for next to nothing")
		}
	})
}

func BenchmarkSave(b *testing.B) {
	data := make([]float64, 10_000_000)
	for b.Loop() {
		if _, err := carry.Save(io.Discard, []carry.Named{{Name: "data", Value: reflect.ValueOf(&data).Elem()}}); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(8 * int64(len(data)))
}

func TestFile(t *testing.T) {
	type holder struct {
		name string
		f    func()
	}
	x, h := map[string]int{"a": 1}, holder{"h", func() {}}
	var newX map[string]int
	var newH holder
	cell.Register("cell/saved", cell.Code{Variables: map[string]any{"x": &x, "h": &h}})
	cell.Register("cell/loaded", cell.Code{Variables: map[string]any{"x": &newX, "h": &newH}})
	file := filepath.Join(t.TempDir(), "variables")
	lost, err := carry.SaveFile(file, []program.Moved{
		{Name: "x", Variable: "x__1", FromUnit: "cell/saved", FromVariable: "x"},
		{Name: "h", Variable: "h__3", FromUnit: "cell/saved", FromVariable: "h"},
	})
	want := []carry.Lost{{Name: "h", Key: ".h__3", Path: "h.f", Why: "a function value"}}
	if err != nil || !reflect.DeepEqual(lost, want) {
		t.Errorf("%+v, %v", lost, err)
	}
	if _, err := carry.SaveFile(file, nil); !errors.Is(err, os.ErrExist) {
		t.Error("an older file is overwritten", err)
	}
	lost, err = carry.LoadFile(file, []program.Moved{
		{Name: "x", Unit: "cell/loaded", Variable: "x", FromVariable: "x__1"},
		{Name: "h", Unit: "cell/loaded", Variable: "h", FromVariable: "h__3"},
	})
	if err != nil || len(lost) > 0 {
		t.Error(lost, err)
	}
	if newX["a"] != 1 || newH.name != "h" || newH.f != nil {
		t.Error(newX, newH.name)
	}
	if err := os.WriteFile(file, []byte("something else"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := carry.LoadFile(file, nil); err == nil {
		t.Error("no error for another file")
	}
}

// TestSavedModel saves what a notebook of the library holds.
func TestSavedModel(t *testing.T) {
	tree, err := taxonomy.FromPaths([]string{"animal/cat", "animal/dog", "car"}, "/")
	if err != nil {
		t.Fatal(err)
	}
	cat, _ := tree.Node("animal/cat")
	dog, _ := tree.Node("animal/dog")
	data := &dataset.Dataset{
		Taxonomy:   tree,
		Vocabulary: []string{"fur", "purrs", "barks"},
		X:          &dataset.Matrix{Rows: 2, Cols: 3, Indptr: []int{0, 2, 4}, Indices: []int32{0, 1, 0, 2}, Values: []float32{1, 1, 1, 1}},
		Labels:     [][]int{{cat}, {dog}},
	}
	model, err := svm.Normalized{C: 10}.Fit(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	v, lost := restore(t, map[string]any{"tree": &tree, "data": &data, "model": &model})
	for _, l := range lost {
		t.Error(l.Name, l)
	}
	newTree, newData, newModel := v["tree"].Interface().(*taxonomy.Taxonomy), v["data"].Interface().(*dataset.Dataset), v["model"].Interface().(*classifier.Model)
	if newData.Taxonomy != newTree || newTree == tree {
		t.Error("the taxonomy is not shared")
	}
	if got, want := newModel.Predict(newData.X), model.Predict(data.X); !reflect.DeepEqual(got, want) {
		t.Errorf("predicts %v, not %v", got, want)
	}
	if newModel.String() != model.String() || !reflect.DeepEqual(newTree.Ancestors(cat), tree.Ancestors(cat)) {
		t.Error("another model")
	}
}
