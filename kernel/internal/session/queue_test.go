package session

import (
	"testing"
	"testing/synctest"

	"github.com/hierml/notebook/kernel/internal/wire"
)

func TestQueueIsBounded(t *testing.T) {
	cell := &wire.Request{Message: wire.Message{Header: wire.Header{Type: "execute_request"}, Content: make([]byte, 1<<20)}}
	empty := new(wire.Request)
	tests := []struct {
		name    string
		request *wire.Request
		room    int
	}{{"many", empty, maxQueued / perTask}, {"large", cell, 256}}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var q queue
			q.init()
			n, one := 0, task{request: test.request}
			for q.offer(one) {
				n++
			}
			if n != test.room {
				t.Errorf("%d requests fit, want %d", n, test.room)
			}
			synctest.Test(t, func(t *testing.T) {
				put := make(chan bool, 1)
				go func() { put <- q.put(one) }()
				synctest.Wait()
				if len(put) > 0 {
					t.Error("one more fits")
				}
				q.take()
				synctest.Wait()
				if len(put) == 0 {
					t.Fatal("a request waits though there is room")
				}
				if !<-put {
					t.Error("a request was refused though there is room")
				}
			})
			if test.request == cell {
				if got := len(q.takeAll("execute_request")); got != n || q.size != 0 {
					t.Errorf("%d cells were taken, and %d bytes are left", got, q.size)
				}
			} else if got := len(q.close()); got != n {
				t.Errorf("%d requests waited at the end", got)
			}
			q.close()
			if _, ok := q.take(); ok || q.put(one) || q.offer(one) {
				t.Error("a closed queue is used")
			}
		})
	}
}
