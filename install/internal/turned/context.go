package turned

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
)

// errs are the changes of context.go: each method Err yields, and so does Cause, which calls it. No
// method Err is called within package context while a lock is held.
var errs = []change{
	{"func (emptyCtx) Err() error {\n", "func (emptyCtx) Err() error {\n	yield()\n"},
	{"func (c *cancelCtx) Err() error {\n", "func (c *cancelCtx) Err() error {\n	yield()\n"},
	{"func (withoutCancelCtx) Err() error {\n", "func (withoutCancelCtx) Err() error {\n	yield()\n"},
}

// yields is a file that is added to package context. A function that JavaScript calls must not ask
// a context: the event loop waits for it to return.
const yields = `package context

import (
	"sync"
	"syscall/js"
	"time"
	_ "unsafe" // for go:linkname
)

// maxWait is how long the event loop may wait.
const maxWait = 30 * time.Millisecond

var (
	yieldMu  sync.Mutex
	yielded  = time.Now()  // when the event loop ran last
	yielding chan struct{} // closed when the event loop has run; nil while no goroutine waits for that
)

// port is one end of a channel of its own: a message that is sent through it comes when all messages
// before it were delivered.
var port = sync.OnceValue(func() js.Value {
	channel := js.Global().Get("MessageChannel").New()
	channel.Get("port1").Set("onmessage", js.FuncOf(func(js.Value, []js.Value) any {
		yieldMu.Lock()
		defer yieldMu.Unlock()
		yielded = time.Now()
		close(yielding)
		yielding = nil
		return nil
	}))
	return channel.Get("port2")
})

// yield lets the event loop run if it has waited for some time.
//
//go:linkname yield
func yield() {
	yieldMu.Lock()
	if time.Since(yielded) < maxWait {
		yieldMu.Unlock()
		return
	}
	if yielding == nil {
		yielding = make(chan struct{})
		port().Call("postMessage", 0)
	}
	until := yielding
	yieldMu.Unlock()
	<-until
}
`

// writeOverlay writes the copy of package context, and returns the path of the file for -overlay.
func writeOverlay(goroot, dir string) (string, error) {
	from, to := filepath.Join(goroot, "src", "context"), filepath.Join(dir, "context")
	text, err := os.ReadFile(filepath.Join(from, "context.go"))
	if err != nil {
		return "", err
	}
	if text, err = changed("context/context.go", text, errs); err != nil {
		return "", err
	}
	replaced := map[string]string{}
	write := func(name string, text []byte) error {
		replaced[filepath.Join(from, name)] = filepath.Join(to, name)
		return os.WriteFile(filepath.Join(to, name), text, 0o644)
	}
	err = errors.Join(os.MkdirAll(to, 0o755), write("context.go", text), write("yield_js.go", []byte(yields)))
	if err != nil {
		return "", err
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return "", err
	}
	written := filepath.Join(dir, "overlay.json")
	return written, os.WriteFile(written, overlay, 0o644)
}
