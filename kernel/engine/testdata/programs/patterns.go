package main

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"
)

type Option func(*Server)
type Server struct {
	host    string
	port    int
	tags    []string
	handler func(string) (string, error)
}

func WithPort(p int) Option       { return func(s *Server) { s.port = p } }
func WithTags(t ...string) Option { return func(s *Server) { s.tags = append(s.tags, t...) } }
func New(host string, opts ...Option) *Server {
	s := &Server{host: host, port: 80}
	for _, o := range opts {
		o(s)
	}
	return s
}

type Builder struct{ parts []string }

func (b *Builder) Add(s string) *Builder { b.parts = append(b.parts, s); return b }
func (b Builder) Build() string          { return strings.Join(b.parts, "-") }

type Event struct {
	Name string
	Data any
}
type Bus struct {
	mu   sync.RWMutex
	subs map[string][]func(Event)
}

func (b *Bus) On(n string, f func(Event)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.subs == nil {
		b.subs = map[string][]func(Event){}
	}
	b.subs[n] = append(b.subs[n], f)
}
func (b *Bus) Emit(e Event) int {
	b.mu.RLock()
	defer b.mu.RUnlock()
	for _, f := range b.subs[e.Name] {
		f(e)
	}
	return len(b.subs[e.Name])
}

type Expr interface{ Accept(v Visitor) any }
type Visitor interface {
	VisitNum(n Num) any
	VisitAdd(a Add) any
}
type Num struct{ V int }
type Add struct{ L, R Expr }

func (n Num) Accept(v Visitor) any { return v.VisitNum(n) }
func (a Add) Accept(v Visitor) any { return v.VisitAdd(a) }

type Evaler struct{}

func (Evaler) VisitNum(n Num) any   { return n.V }
func (e Evaler) VisitAdd(a Add) any { return a.L.Accept(e).(int) + a.R.Accept(e).(int) }

type Printer struct{ depth *int }

func (p Printer) VisitNum(n Num) any { return strconv.Itoa(n.V) }
func (p Printer) VisitAdd(a Add) any {
	*p.depth++
	return "(" + a.L.Accept(p).(string) + "+" + a.R.Accept(p).(string) + ")"
}

type Middleware func(Handler) Handler
type Handler interface{ Handle(string) string }
type HandlerFunc func(string) string

func (f HandlerFunc) Handle(s string) string { return f(s) }
func chain(h Handler, ms ...Middleware) Handler {
	for i := len(ms) - 1; i >= 0; i-- {
		h = ms[i](h)
	}
	return h
}
func logm(tag string) Middleware {
	return func(next Handler) Handler {
		return HandlerFunc(func(s string) string { return tag + "[" + next.Handle(s) + "]" })
	}
}

type State int

const (
	Idle State = iota
	Running
	Stopped
)

var names = map[State]string{Idle: "idle", Running: "running", Stopped: "stopped"}

func (s State) String() string { return names[s] }

type Machine struct {
	State
	trans map[State][]State
	log   []string
}

func (m *Machine) To(s State) error {
	for _, t := range m.trans[m.State] {
		if t == s {
			m.log = append(m.log, fmt.Sprintf("%v->%v", m.State, s))
			m.State = s
			return nil
		}
	}
	return fmt.Errorf("no way from %v to %v", m.State, s)
}

type Account struct {
	balance float64
	history []Tx
}
type Tx struct {
	Amount float64
	At     int
}
type InsufficientFunds struct{ Need, Have float64 }

func (e InsufficientFunds) Error() string { return fmt.Sprintf("need %.2f have %.2f", e.Need, e.Have) }
func (a *Account) Withdraw(x float64) error {
	if x > a.balance {
		return InsufficientFunds{x, a.balance}
	}
	a.balance -= x
	a.history = append(a.history, Tx{-x, len(a.history)})
	return nil
}
func pipeline(n int) int {
	gen := func() <-chan int {
		c := make(chan int)
		go func() {
			defer close(c)
			for i := 1; i <= n; i++ {
				c <- i
			}
		}()
		return c
	}
	sq := func(in <-chan int) <-chan int {
		out := make(chan int)
		go func() {
			defer close(out)
			for v := range in {
				out <- v * v
			}
		}()
		return out
	}
	t := 0
	for v := range sq(sq(gen())) {
		t += v
	}
	return t
}
func fanin(cs ...<-chan string) []string {
	var wg sync.WaitGroup
	out := make(chan string)
	for _, c := range cs {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for s := range c {
				out <- s
			}
		}()
	}
	go func() { wg.Wait(); close(out) }()
	var r []string
	for s := range out {
		r = append(r, s)
	}
	sort.Strings(r)
	return r
}
func main() {
	s := New("h", WithPort(8080), WithTags("a", "b"), func(s *Server) { s.handler = func(q string) (string, error) { return s.host + q, nil } })
	r, err := s.handler("!")
	fmt.Println(s.host, s.port, s.tags, r, err)
	fmt.Println(new(Builder).Add("x").Add("y").Build())
	var bus Bus
	var got []string
	bus.On("e", func(e Event) { got = append(got, fmt.Sprint(e.Name, e.Data)) })
	bus.On("e", func(e Event) {
		if t, ok := e.Data.(Tx); ok {
			got = append(got, fmt.Sprint("tx", t.Amount))
		}
	})
	fmt.Println(bus.Emit(Event{"e", Tx{1.5, 2}}), bus.Emit(Event{"e", 3}), bus.Emit(Event{"z", nil}), got)
	var e Expr = Add{Num{1}, Add{Num{2}, Num{3}}}
	d := 0
	fmt.Println(e.Accept(Evaler{}), e.Accept(Printer{&d}), d)
	h := chain(HandlerFunc(strings.ToUpper), logm("a"), logm("b"))
	fmt.Println(h.Handle("x"))
	m := Machine{trans: map[State][]State{Idle: {Running}, Running: {Stopped, Idle}}}
	fmt.Println(m.To(Running), m.To(Stopped), m.To(Idle), m.log, m.State, m)
	acc := &Account{balance: 10}
	err = acc.Withdraw(4)
	err2 := acc.Withdraw(40)
	var inf InsufficientFunds
	fmt.Println(err, err2, errors.As(err2, &inf), inf.Need, acc.balance, acc.history)
	fmt.Println(pipeline(5))
	mk := func(xs ...string) <-chan string {
		c := make(chan string, len(xs))
		for _, x := range xs {
			c <- x
		}
		close(c)
		return c
	}
	fmt.Println(fanin(mk("a", "c"), mk("b"), mk()))
	results := make([]int, 5)
	var wg sync.WaitGroup
	for i := range results {
		wg.Add(1)
		go func() { defer wg.Done(); results[i] = i * i }()
	}
	wg.Wait()
	fmt.Println(results)
	sem := make(chan struct{}, 2)
	var mu sync.Mutex
	total := 0
	for i := 0; i < 20; i++ {
		wg.Add(1)
		go func(n int) {
			defer wg.Done()
			sem <- struct{}{}
			defer func() { <-sem }()
			mu.Lock()
			total += n
			mu.Unlock()
		}(i)
	}
	wg.Wait()
	fmt.Println(total)
	timeout := time.After(2 * time.Second)
	tick := time.NewTicker(time.Millisecond)
	n := 0
loop:
	for {
		select {
		case <-tick.C:
			n++
			if n == 3 {
				tick.Stop()
				break loop
			}
		case <-timeout:
			fmt.Println("timeout")
			break loop
		}
	}
	fmt.Println(n)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	<-ctx.Done()
	fmt.Println(ctx.Err(), errors.Is(ctx.Err(), context.DeadlineExceeded))
}
