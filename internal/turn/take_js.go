package turn

import (
	"sync"
	"syscall/js"
	"time"
)

// slice is how long others may wait.
const slice = 30 * time.Millisecond

var (
	mu      sync.Mutex
	last    = time.Now()  // when others ran last
	waiting chan struct{} // closed when they have; nil while nobody waits

	port = func() js.Value {
		// What is sent through a channel of its own comes when all messages before it were delivered.
		channel := js.Global().Get("MessageChannel").New()
		channel.Get("port1").Set("onmessage", js.FuncOf(func(js.Value, []js.Value) any {
			mu.Lock()
			defer mu.Unlock()
			last = time.Now()
			close(waiting)
			waiting = nil
			return nil
		}))
		return channel.Get("port2")
	}()
)

// Take lets others run if they have waited for some time.
func Take() {
	mu.Lock()
	if time.Since(last) < slice {
		mu.Unlock()
		return
	}
	if waiting == nil {
		waiting = make(chan struct{})
		port.Call("postMessage", 0)
	}
	until := waiting
	mu.Unlock()
	<-until
}
