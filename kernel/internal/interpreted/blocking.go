package interpreted

import (
	"fmt"
	"path"
	"reflect"
	"runtime"

	"github.com/traefik/yaegi/interp"
)

// waiting are the compiled functions that may wait forever for something outside the program.
// Functions that only compute are not among them: an abandoned one would go on using the processor.
var waiting = map[string][]string{
	// They wait for a peer that may never answer.
	"net/http/http": {"Get", "Head", "Post", "PostForm", "ReadRequest", "ReadResponse"},
	"net/net": {"Dial", "DialTimeout", "DialTCP", "DialUDP", "DialUnix", "DialIP",
		"LookupAddr", "LookupCNAME", "LookupHost", "LookupIP", "LookupMX", "LookupNS", "LookupPort", "LookupSRV", "LookupTXT"},
	"crypto/tls/tls": {"Dial", "DialWithDialer"},
	"net/smtp/smtp":  {"Dial", "NewClient", "SendMail"},
	// They read until an end that the other side determines.
	"io/io":            {"Copy", "CopyBuffer", "CopyN", "ReadAll", "ReadAtLeast", "ReadFull"},
	"io/ioutil/ioutil": {"ReadAll", "ReadFile"},
	// Opening and reading a pipe waits for its other end.
	"os/os": {"Open", "OpenFile", "ReadFile", "WriteFile"},
}

// serving are those that go on working when they are abandoned.
var serving = map[string][]string{
	"net/http/http": {"ListenAndServe", "ListenAndServeTLS", "Serve", "ServeTLS"},
	"net/rpc/rpc":   {"Accept", "ServeConn"},
}

// blocking are replacements for compiled functions that may wait. They end with the cell.
func (in *Interpreter) blocking() interp.Exports {
	exports := interp.Exports{}
	for _, table := range []struct {
		functions map[string][]string
		goesOn    bool
	}{{waiting, false}, {serving, true}} {
		for key, names := range table.functions {
			if exports[key] == nil {
				exports[key] = map[string]reflect.Value{}
			}
			for _, name := range names {
				f := in.config.Symbols[key][name]
				if !f.IsValid() {
					continue
				}
				label := ""
				if table.goesOn {
					label = path.Dir(key) + "." + name
				}
				exports[key][name] = in.leaving(label, f)
			}
		}
	}
	return exports
}

// waits wraps f, a compiled function. The returned function ends with the cell. If name is not
// empty, f goes on when it is abandoned, and the user is told.
func (in *Interpreter) waits(name string, f any) any {
	return in.leaving(name, reflect.ValueOf(f)).Interface()
}

func (in *Interpreter) leaving(name string, f reflect.Value) reflect.Value {
	call := f.Call
	if f.Type().IsVariadic() {
		call = f.CallSlice
	}
	return reflect.MakeFunc(f.Type(), func(args []reflect.Value) (results []reflect.Value) {
		in.apart(name, func() { results = call(args) }, nil)
		return results
	})
}

// apart calls f in a new goroutine, and waits for it. If the cell is interrupted first, f is
// abandoned and the calling goroutine ends; undo, if not nil, then unlocks what f has locked,
// whenever that is. A panic of f continues in the calling goroutine, and so does the end of f's
// goroutine.
func (in *Interpreter) apart(name string, f, undo func()) {
	t := in.task()
	if t == nil {
		f()
		return
	}
	caller := goroutineID()
	type outcome struct {
		failure  any
		returned bool
		panicked bool
	}
	got := make(chan outcome)
	go func() {
		id := goroutineID()
		in.frames.lend(caller, id)
		if name == "" { // after an interrupt, f no longer belongs to the cell
			in.join(id, t)
		}
		var o outcome
		defer func() {
			if !o.returned {
				o.failure = recover()
				o.panicked = o.failure != nil
			}
			in.frames.end(id)
			in.leave(id)
			t.settle(id)
			select {
			case got <- o:
			case <-t.ctx.Done():
				if o.returned && undo != nil {
					undo()
				}
			}
		}()
		f()
		o.returned = true
	}()
	select {
	case o := <-got:
		switch {
		case o.panicked:
			panic(o.failure)
		case !o.returned:
			runtime.Goexit()
		}
	case <-t.ctx.Done():
		if undo != nil {
			in.control.leave(caller)
		}
		if name != "" {
			fmt.Fprintf(in.stderr(), "interrupted, but %s continues to run\n", name)
		}
		runtime.Goexit()
	}
}
