package main

import (
	"container/heap"
	"container/list"
	"context"
	"fmt"
	"sync"
)

type entry struct {
	key   string
	value int
}
type LRU struct {
	cap   int
	ll    *list.List
	items map[string]*list.Element
}

func NewLRU(n int) *LRU { return &LRU{cap: n, ll: list.New(), items: make(map[string]*list.Element)} }
func (c *LRU) Get(k string) (int, bool) {
	if e, ok := c.items[k]; ok {
		c.ll.MoveToFront(e)
		return e.Value.(*entry).value, true
	}
	return 0, false
}
func (c *LRU) Put(k string, v int) {
	if e, ok := c.items[k]; ok {
		e.Value.(*entry).value = v
		c.ll.MoveToFront(e)
		return
	}
	c.items[k] = c.ll.PushFront(&entry{k, v})
	if c.ll.Len() > c.cap {
		last := c.ll.Back()
		c.ll.Remove(last)
		delete(c.items, last.Value.(*entry).key)
	}
}

type Item struct {
	name        string
	prio, index int
}
type PQ []*Item

func (p PQ) Len() int           { return len(p) }
func (p PQ) Less(i, j int) bool { return p[i].prio > p[j].prio }
func (p PQ) Swap(i, j int)      { p[i], p[j] = p[j], p[i]; p[i].index = i; p[j].index = j }
func (p *PQ) Push(x any)        { it := x.(*Item); it.index = len(*p); *p = append(*p, it) }
func (p *PQ) Pop() any {
	old := *p
	n := len(old)
	it := old[n-1]
	old[n-1] = nil
	*p = old[:n-1]
	return it
}
func main() {
	c := NewLRU(2)
	c.Put("a", 1)
	c.Put("b", 2)
	c.Get("a")
	c.Put("c", 3)
	_, okb := c.Get("b")
	va, oka := c.Get("a")
	fmt.Println(okb, va, oka, c.ll.Len())
	pq := PQ{}
	for i, w := range []string{"x", "y", "z"} {
		heap.Push(&pq, &Item{name: w, prio: (i * 7) % 5})
	}
	pq[0].prio = 0
	heap.Fix(&pq, 0)
	for pq.Len() > 0 {
		it := heap.Pop(&pq).(*Item)
		fmt.Print(it.name, it.prio, " ")
	}
	fmt.Println()
	var m sync.Map
	m.Store("k", entry{"q", 4})
	if v, ok := m.Load("k"); ok {
		fmt.Println(v.(entry).value, v)
	}
	ctx := context.WithValue(context.Background(), entry{"a", 1}, "val")
	fmt.Println(ctx.Value(entry{"a", 1}), ctx.Value(entry{"b", 1}))
	l := list.New()
	l.PushBack(Item{name: "n"})
	l.PushBack(3)
	for e := l.Front(); e != nil; e = e.Next() {
		switch v := e.Value.(type) {
		case Item:
			fmt.Println("item", v.name)
		case int:
			fmt.Println("int", v)
		}
	}
}
