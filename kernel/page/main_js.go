package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"
	"strings"
	"syscall/js"

	"github.com/hierml/notebook/kernel/internal/page"
	"github.com/hierml/notebook/kernel/internal/wire"
	"github.com/hierml/notebook/kernel/internal/wire/inproc"
)

// maxStack bounds a stack, in bytes. Beyond it Go ends the program, and the page begins another;
// interpreted code is ended before that.
const maxStack = 512 << 20

// The worker has an object, hierml, with the functions that the kernel calls:
//
//	send(channel, header, parent, metadata, content, buffers)   a message to the clients
//	ready()                                                     the kernel can be spoken to
//	kill()                                                      the kernel is to be ended, as a cell cannot be
//
// and a list, before, of the sources of cells that an earlier kernel had run, and gets the
// functions that it calls:
//
//	receive(channel, session, header, parent, metadata, content, buffers)   a message of a client
//	write(name, bytes)                                                      cells' output to a file
//
// The four parts of a message are JSON, buffers are Uint8Arrays.
func main() {
	if err := run(js.Global().Get("hierml")); err != nil {
		fmt.Fprintln(console{}, "hierml:", err)
		os.Exit(1)
	}
}

// The console is that of the browser; os.Stderr is the cells'.
type console struct{}

func (console) Write(p []byte) (int, error) {
	js.Global().Get("console").Call("warn", strings.TrimSuffix(string(p), "\n"))
	return len(p), nil
}

func run(worker js.Value) error {
	debug.SetMaxStack(maxStack)
	transport := inproc.New(func(channel wire.Channel, frames [][]byte) { send(worker, channel, frames) })
	kernel, err := page.New(transport, func() { worker.Call("kill") }, slog.New(slog.NewTextHandler(console{}, nil)))
	if err != nil {
		return err
	}
	stopDeep = kernel.StopDeep
	worker.Set("receive", js.FuncOf(func(_ js.Value, args []js.Value) any {
		transport.Put(wire.Channel(args[0].String()), frames(args[1:]))
		return nil
	}))
	worker.Set("write", js.FuncOf(func(_ js.Value, args []js.Value) any {
		name, p := args[0].String(), bytes(args[1])
		// A function that is called from outside must not wait.
		go func() {
			if _, err := kernel.Write(name, p); err != nil {
				fmt.Fprintln(console{}, "hierml:", err)
			}
		}()
		return nil
	}))
	kernel.Declare(context.Background(), texts(worker.Get("before")))
	worker.Call("ready")
	return kernel.Serve(context.Background())
}

// stopDeep ends the cells that run. It does nothing until there is a kernel.
var stopDeep = func() {}

// tooDeep is called by its link name where interpreted calls are nested deeper than a browser has
// room for: by the copy of yaegi that install/internal/turned writes.
func tooDeep() { stopDeep() }

// delimiter stands between a message's route and its signature, which here is none.
const delimiter = "<IDS|MSG>"

// frames returns the frames of a message: the session of the client is its route.
func frames(args []js.Value) [][]byte {
	frames := [][]byte{[]byte(args[0].String()), []byte(delimiter), nil}
	for _, part := range args[1:5] {
		frames = append(frames, []byte(part.String()))
	}
	for i := range args[5].Length() {
		frames = append(frames, bytes(args[5].Index(i)))
	}
	return frames
}

// send gives a message to the worker: what follows the delimiter and the signature.
func send(worker js.Value, channel wire.Channel, frames [][]byte) {
	at := 0
	for string(frames[at]) != delimiter {
		at++
	}
	parts := frames[at+2:]
	buffers := js.Global().Get("Array").New()
	for _, b := range parts[4:] {
		array := js.Global().Get("Uint8Array").New(len(b))
		js.CopyBytesToJS(array, b)
		buffers.Call("push", array)
	}
	worker.Call("send", string(channel), string(parts[0]), string(parts[1]), string(parts[2]), string(parts[3]), buffers)
}

func texts(array js.Value) []string {
	list := make([]string, array.Length())
	for i := range list {
		list[i] = array.Index(i).String()
	}
	return list
}

func bytes(array js.Value) []byte {
	b := make([]byte, array.Length())
	js.CopyBytesToGo(b, array)
	return b
}
