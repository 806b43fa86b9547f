package toolchain

import "testing"

// TestTables holds that a plugin uses the table that the runtime has made for a type and an
// interface before.
func TestTables(t *testing.T) {
	h := open(t, false)
	b := h.builder(t)
	var args []string
	for _, u := range []Unit{
		text("cell/1", `
type named interface{ name() string }
type file struct{ n int }
func (f *file) name() string { return "file" }
var one any = &file{1}
var i named
func runˑ() { i = one.(named) }`),
		text("cell/2", `
type other struct{ k1.file }
func runˑ() {
	i, one := k1.i, k1.one
	f := i.(*k1.file)
	_, ok := i.(*k1.file)
	_, no := i.(*other)
	var j k1.named = one.(*k1.file)
	var null k1.named
	_, none := null.(*k1.file)
	kind := ""
	switch i.(type) {
	case *other:
		kind = "other"
	case *k1.file:
		kind = "file"
	}
	fmt.Println(f.n, ok, no, none, i == j, i != j, i == null, null == null, i == k1.named(&k1.file{1}), kind, map[k1.named]bool{i: true}[k1.named(f)], slices.Index([]k1.named{i}, k1.named(f)))
}`, "fmt", "slices", `k1 "cell/1"`),
	} {
		plugin, err := b.Build(t.Context(), []Unit{u})
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, plugin+"="+u.Path)
	}
	const want = "1 true false false true false false true false file true 0"
	if got := h.run(t, args...); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
