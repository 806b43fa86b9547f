package interpreted

import (
	"fmt"
	"path"
	"reflect"
	"runtime"

	"github.com/traefik/yaegi/interp"
)

// waiting are the compiled functions that may wait without end for something outside the program.
// What only computes is not among them: it could not be left behind without going on at the user's
// cost.
var waiting = map[string][]string{
	// They wait for a peer that may never answer.
	"net/http/http": {"Get", "Head", "Post", "PostForm", "ReadRequest", "ReadResponse"},
	"net/net": {"Dial", "DialTimeout", "DialTCP", "DialUDP", "DialUnix", "DialIP",
		"LookupAddr", "LookupCNAME", "LookupHost", "LookupIP", "LookupMX", "LookupNS", "LookupPort", "LookupSRV", "LookupTXT"},
	"crypto/tls/tls": {"Dial", "DialWithDialer"},
	"net/smtp/smtp":  {"Dial", "NewClient", "SendMail"},
	// They read until an end that the other side decides on.
	"io/io":            {"Copy", "CopyBuffer", "CopyN", "ReadAll", "ReadAtLeast", "ReadFull"},
	"io/ioutil/ioutil": {"ReadAll", "ReadFile"},
	// Opening and reading a pipe waits for its other end.
	"os/os": {"Open", "OpenFile", "ReadFile", "WriteFile"},
}

// serving are those that go on working when they are left behind.
var serving = map[string][]string{
	"net/http/http": {"ListenAndServe", "ListenAndServeTLS", "Serve", "ServeTLS"},
	"net/rpc/rpc":   {"Accept", "ServeConn"},
}

// blocking are stand-ins for compiled functions that may wait, which end with the cell.
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

// waits returns a function like f, which is compiled, that ends with the cell. If name is not
// empty, f goes on when it is left behind, and the user is told.
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

// apart calls f in a goroutine of its own, and returns when it has. When the cell is interrupted
// first, f is left behind and the calling goroutine ends; undo, if there is one, gives up the lock
// that f then holds, whenever that is. A panic of f goes on in the calling goroutine, and so does
// the end of f's goroutine.
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
		if name == "" { // what goes on is the cell's no more when it was interrupted
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
			fmt.Fprintf(in.stderr(), "interrupted while in %s, which goes on\n", name)
		}
		runtime.Goexit()
	}
}
