package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

type Counter struct {
	mu sync.Mutex
	n  map[string]int
}

func (c *Counter) Inc(k string) { c.mu.Lock(); defer c.mu.Unlock(); c.n[k]++ }
func worker(id int, jobs <-chan int, results chan<- int, wg *sync.WaitGroup) {
	defer wg.Done()
	for j := range jobs {
		results <- j * 2
	}
}
func gen(ctx context.Context) <-chan int {
	ch := make(chan int)
	go func() {
		defer close(ch)
		for i := 0; ; i++ {
			select {
			case ch <- i:
			case <-ctx.Done():
				return
			}
		}
	}()
	return ch
}
func main() {
	c := Counter{n: map[string]int{}}
	var wg sync.WaitGroup
	for i := 0; i < 10; i++ {
		wg.Add(1)
		go func(k string) { defer wg.Done(); c.Inc(k) }(fmt.Sprint(i % 2))
	}
	wg.Wait()
	fmt.Println(c.n)
	jobs, results := make(chan int, 10), make(chan int, 10)
	var w2 sync.WaitGroup
	for i := range 3 {
		w2.Add(1)
		go worker(i, jobs, results, &w2)
	}
	for i := 1; i <= 4; i++ {
		jobs <- i
	}
	close(jobs)
	w2.Wait()
	close(results)
	sum := 0
	for r := range results {
		sum += r
	}
	fmt.Println(sum)
	ctx, cancel := context.WithCancel(context.Background())
	for v := range gen(ctx) {
		if v == 3 {
			cancel()
			break
		}
	}
	done := make(chan struct{})
	go func() { close(done) }()
	select {
	case <-done:
		fmt.Println("done")
	case <-time.After(5 * time.Second):
		fmt.Println("timeout")
	}
	select {
	case v := <-results:
		fmt.Println("closed", v)
	default:
		fmt.Println("default")
	}
	v, ok := <-results
	fmt.Println(v, ok)
	var once sync.Once
	for range 3 {
		once.Do(func() { fmt.Println("once") })
	}
	tick := make(chan int)
	go func() {
		for i := range 3 {
			tick <- i
		}
		close(tick)
	}()
	for {
		v, ok := <-tick
		if !ok {
			break
		}
		fmt.Print(v, " ")
	}
	var nilch chan int
	select {
	case <-nilch:
	default:
		fmt.Println("nil chan")
	}
	var x int
	select {
	case x = <-func() chan int { c := make(chan int, 1); c <- 42; return c }():
	}
	fmt.Println(x)
	var a atomic.Int64
	var g sync.WaitGroup
	for range 5 {
		g.Add(1)
		go func() { a.Add(2); g.Done() }()
	}
	g.Wait()
	fmt.Println(a.Load())
	res := make(chan string)
	go func() { defer func() { res <- fmt.Sprint("r:", recover()) }(); var m map[int]int; m[1] = 1 }()
	fmt.Println(<-res)
}
