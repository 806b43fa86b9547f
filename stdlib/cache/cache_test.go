package cache

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/synthetic"
	"github.com/hierml/notebook/internal/lock"
)

// ownFolder gives a test a folder of values of its own, and returns it.
func ownFolder(t *testing.T) string {
	t.Helper()
	user := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", user)
	t.Setenv("HOME", user)
	t.Setenv("LocalAppData", user)
	t.Chdir(t.TempDir())
	found, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(found, "hierml", "values")
}

type part struct {
	Name string
	Next *part
}

type whole struct {
	Int     int8
	Uint    uint64
	Floats  []float64
	Half    float32
	Complex complex128
	Yes     bool
	Bytes   []byte
	Nil     []int
	Empty   []int
	Zero    *int
	None    *int
	Map     map[[2]int][]string
	Void    map[string]int
	Array   [3]part
	At      time.Time
	Matrix  *mat.Dense
}

// TestKept holds that values come back as they were, to the last bit.
func TestKept(t *testing.T) {
	ownFolder(t)
	zero := 0
	want := whole{
		Int: -128, Uint: math.MaxUint64, Floats: []float64{math.Inf(-1), math.Copysign(0, -1), 0.1, math.MaxFloat64}, Half: 0.1, Complex: 1 - 2i, Yes: true,
		Bytes: []byte("\xff\x00"), Empty: []int{}, Zero: &zero, Map: map[[2]int][]string{{1, 2}: {"\xff", ""}, {}: nil}, Void: map[string]int{},
		Array: [3]part{{"a", &part{"b", &part{}}}}, At: time.Date(2026, 2, 3, 4, 5, 6, 7, time.UTC), Matrix: mat.NewDense(1, 2, []float64{3, 4}),
	}
	for i := range 3 {
		calls := 0
		got, err := Cache("whole", func() (whole, error) {
			calls++
			return want, nil
		})
		if err != nil || !reflect.DeepEqual(got, want) || calls != map[bool]int{true: 1}[i == 0] {
			t.Errorf("%d: %+v, %v after %d calls", i, got, err, calls)
		}
	}
	nan := math.Float64frombits(0x7ff8000000000123)
	for range 2 {
		got, err := Cache("nan", func() (float64, error) { return nan, nil })
		if err != nil || math.Float64bits(got) != math.Float64bits(nan) {
			t.Errorf("%x, %v", math.Float64bits(got), err)
		}
	}
}

// TestModel keeps a model.
func TestModel(t *testing.T) {
	ownFolder(t)
	d, err := synthetic.Hyperplanes{Count: 3, Features: 5, Instances: 50}.Generate(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var models []*classifier.Model
	for range 2 {
		m, err := Cache("model", func() (*classifier.Model, error) { return svm.Flat{}.Fit(context.Background(), d) })
		if err != nil {
			t.Fatal(err)
		}
		models = append(models, m)
	}
	a, err := models[0].MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	b, err := models[1].MarshalBinary()
	if err != nil || models[0] == models[1] || !reflect.DeepEqual(a, b) {
		t.Errorf("the model came back as another, %v", err)
	}
}

// TestComputedAnew holds that what is no value for the key and the type is as none.
func TestComputedAnew(t *testing.T) {
	folder := ownFolder(t)
	set := func(want []string) {
		t.Helper()
		got, err := Cache("key", func() ([]string, error) { return want, nil })
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%v, %v; want %v", got, err, want)
		}
	}
	set([]string{"a"})
	list, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	file := ""
	for _, name := range list {
		if !strings.HasSuffix(name, ".lock") {
			file = name
		}
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole {
		damaged := append([]byte{}, whole...)
		damaged[i] ^= 0x55
		for _, text := range [][]byte{damaged, whole[:i]} {
			if err := os.WriteFile(file, text, 0o600); err != nil {
				t.Fatal(err)
			}
			set([]string{"b"})
			if err := Reset("key"); err != nil {
				t.Fatal(err)
			}
		}
	}
	set([]string{"c"})
	if got, err := Cache("key", func() ([]int, error) { return []int{1}, nil }); err != nil || !reflect.DeepEqual(got, []int{1}) {
		t.Errorf("another type: %v, %v", got, err)
	}
	set([]string{"d"})
	if err := errors.Join(Reset("key"), Reset("key"), Reset("never")); err != nil {
		t.Error(err)
	}
	set([]string{"e"})
	t.Chdir(t.TempDir())
	set([]string{"of another folder"})
}

type hidden struct{ name string }

type loop struct{ Next *loop }

// TestNotKept checks the errors for values that cannot be stored.
func TestNotKept(t *testing.T) {
	ownFolder(t)
	never := func() { t.Error("a value was computed that cannot be stored") }
	_, err := Cache("k", func() ([]hidden, error) { never(); return []hidden{{name: "a"}}, nil })
	if err == nil || err.Error() != "cache: the field name of cache.hidden is not exported and cannot be stored. Begin its name with a capital letter" {
		t.Error(err)
	}
	_, err = Cache("k", func() (map[string]any, error) { never(); return nil, nil })
	if err == nil || err.Error() != "cache: values of type interface {}, as in map[string]interface {}, cannot be stored" {
		t.Error(err)
	}
	_, err = Cache("k", func() (func(), error) { never(); return nil, nil })
	if err == nil {
		t.Error("functions are kept")
	}
	if err := Keep("k", 1, func() error { never(); return nil }); err == nil || err.Error() != "cache: int is not a pointer to a variable" {
		t.Error(err)
	}
	l := &loop{}
	l.Next = l
	got, err := Cache("k", func() (*loop, error) { return l, nil })
	if got != l || err == nil || err.Error() != "cache: a value that is cyclic, or nested too deep, cannot be stored" {
		t.Error(got, err)
	}
	failed := errors.New("failed")
	for range 2 {
		if _, err := Cache("f", func() (int, error) { return 3, failed }); err != failed {
			t.Error(err)
		}
	}
}

// TestOneComputes holds that of several that want a value one computes it.
func TestOneComputes(t *testing.T) {
	ownFolder(t)
	path, err := place("key")
	if err != nil {
		t.Fatal(err)
	}
	held, err := lock.Alone(path + ".lock")
	if err != nil || held == nil {
		t.Fatal(held, err)
	}
	done := make(chan int)
	for range 2 {
		go func() {
			n, err := Cache("key", func() (int, error) { t.Error("it was computed again"); return 0, nil })
			if err != nil {
				t.Error(err)
			}
			done <- n
		}()
	}
	n := 7
	form, err := describe(reflect.TypeFor[int]())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(save(path, "key", form, reflect.ValueOf(&n).Elem()), held.Release()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got := <-done; got != 7 {
			t.Error(got)
		}
	}
}

// FuzzDecode holds that bytes of others are an error or a value, and nothing else.
func FuzzDecode(f *testing.F) {
	data, err := encode(reflect.ValueOf(whole{Floats: []float64{1}, Map: map[[2]int][]string{{}: {"a"}}}))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		var w whole
		var voids []struct{}
		var marks map[struct{}]bool
		_ = decode(data, reflect.ValueOf(&voids).Elem())
		_ = decode(data, reflect.ValueOf(&marks).Elem())
		if decode(data, reflect.ValueOf(&w).Elem()) != nil {
			return
		}
		if _, err := encode(reflect.ValueOf(w)); err != nil {
			t.Error(err)
		}
	})
}
