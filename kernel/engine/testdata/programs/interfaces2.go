package main

import (
	"bufio"
	"container/heap"
	"fmt"
	"io"
	"sort"
	"strings"
	"time"
)

type Animal interface{ Sound() string }
type Walker interface{ Walk(steps int) (int, error) }
type AW interface {
	Animal
	Walker
}
type Base struct{ name string }

func (b *Base) Sound() string { return b.name + "!" }

type Dog struct {
	*Base
	legs int
}

func (d Dog) Walk(n int) (int, error) {
	if n < 0 {
		return 0, fmt.Errorf("neg %d", n)
	}
	return n * d.legs, nil
}

type Logger interface {
	Logf(format string, args ...any) string
}
type L struct{ prefix string }

func (l L) Logf(format string, args ...any) string { return l.prefix + fmt.Sprintf(format, args...) }

type Holder struct {
	Animal
	extra any
}
type Cmp interface{ Less(Cmp) bool }
type Int int

func (i Int) Less(o Cmp) bool { return i < o.(Int) }

type Rd struct {
	s string
	i int
}

func (r *Rd) Read(p []byte) (int, error) {
	if r.i >= len(r.s) {
		return 0, io.EOF
	}
	n := copy(p, r.s[r.i:])
	r.i += n
	return n, nil
}

type W struct{ buf []byte }

func (w *W) Write(p []byte) (int, error) { w.buf = append(w.buf, p...); return len(p), nil }

type By []string

func (b By) Len() int           { return len(b) }
func (b By) Less(i, j int) bool { return b[i] < b[j] }
func (b By) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

type IntHeap []int

func (h IntHeap) Len() int           { return len(h) }
func (h IntHeap) Less(i, j int) bool { return h[i] < h[j] }
func (h IntHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *IntHeap) Push(x any)        { *h = append(*h, x.(int)) }
func (h *IntHeap) Pop() any          { o := *h; n := len(o); x := o[n-1]; *h = o[:n-1]; return x }
func main() {
	d := Dog{&Base{"rex"}, 4}
	var aw AW = d
	fmt.Println(aw.Sound())
	fmt.Println(aw.Walk(3))
	_, err := aw.Walk(-1)
	fmt.Println(err)
	var a Animal = aw
	w, ok := a.(Walker)
	fmt.Println(ok, w != nil)
	h := Holder{Animal: d, extra: 1}
	fmt.Println(h.Sound(), h.extra)
	var lg Logger = L{"> "}
	fmt.Println(lg.Logf("%d-%s", 1, "x"), lg.Logf("none"))
	fmt.Println(Int(1).Less(Int(2)), Cmp(Int(3)).Less(Int(2)))
	b, _ := io.ReadAll(&Rd{s: "hello reader"})
	fmt.Println(string(b))
	var wr W
	fmt.Fprintf(&wr, "n=%d", 5)
	fmt.Println(string(wr.buf))
	names := By{"c", "a", "b"}
	sort.Sort(names)
	fmt.Println(names, sort.IsSorted(names))
	sort.Sort(sort.Reverse(names))
	fmt.Println(names)
	hp := &IntHeap{5, 2, 8}
	heap.Init(hp)
	heap.Push(hp, 1)
	for hp.Len() > 0 {
		fmt.Print(heap.Pop(hp), " ")
	}
	fmt.Println()
	var n Animal
	fmt.Println(n == nil, a != nil)
	func() { defer func() { fmt.Println("nil call:", recover() != nil) }(); n.Sound() }()
	var s fmt.Stringer = time.Second
	_, isD := s.(time.Duration)
	fmt.Println(isD)
	list := []any{1, "a", nil, 2.5, d.legs, Int(3)}
	for _, x := range list {
		if i, ok := x.(Int); ok {
			fmt.Println("Int", i)
		}
	}
	ch := make(chan Animal, 1)
	ch <- d
	fmt.Println((<-ch).Sound())
	fs := map[string]Animal{"d": d}
	fmt.Println(fs["d"].Sound(), fs["x"] == nil)
	bufr := bufio.NewScanner(strings.NewReader("l1\nl2"))
	for bufr.Scan() {
		fmt.Print(bufr.Text(), ";")
	}
	fmt.Println()
	var sb strings.Builder
	sb.WriteString("x")
	fmt.Fprint(&sb, 1, 2)
	fmt.Println(sb.String())
}
