package child

import (
	"os"
	"sync"

	"github.com/hierml/notebook/kernel/internal/worker/cells"
	"github.com/hierml/notebook/kernel/internal/worker/pipe"
	"github.com/hierml/notebook/stdlib/host"
)

// outlets are the child's ends of the pipes to the parent. Output that the main cell sends through
// its methods keeps its order across pipes.
type outlets struct {
	mu             sync.Mutex
	main           *cells.Cell // to which the streams belong; nil before the first
	frames         *os.File
	stdout, stderr *os.File
	runtime        *os.File // descriptor 2
	last           string   // the stream that the main cell wrote to last
}

// write writes text of a cell, or of none, to one of the streams.
func (o *outlets) write(c *cells.Cell, name string, p []byte) (int, error) {
	file := o.stdout
	if name != "stdout" {
		file = o.stderr
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if c == nil {
		c = o.main
	}
	// Text of the main cell goes to the stream directly, unless the previous text went to another
	// stream: frames keep their order, while streams would have to be emptied first.
	switch last := o.last; {
	case c == nil, c == o.main && name == last:
		o.drain(file)
		return file.Write(p)
	case c == o.main:
		o.drain(nil)
		if name != host.Notes {
			o.last = name
		}
	}
	const most = 256 << 10 // in a frame
	done := 0
	for {
		n := min(len(p)-done, most)
		data, err := pipe.EncodeBounded(&pipe.Frame{Cell: c.Number, Message: &pipe.Stream{Name: name, Text: pipe.Blob{Data: p[done : done+n]}}})
		if err == nil {
			_, err = o.frames.Write(data)
		}
		if err != nil {
			return done, err
		}
		if done += n; done == len(p) {
			return done, nil
		}
	}
}

// send sends a message of a cell, after everything that the cell wrote before.
func (o *outlets) send(c *cells.Cell, m pipe.Message) error {
	data, err := pipe.EncodeBounded(&pipe.Frame{Cell: c.Number, Message: m})
	if err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if c == o.main {
		o.drain(nil)
	}
	_, err = o.frames.Write(data)
	return err
}

// event sends an event of the debugger, which belongs to no cell.
func (o *outlets) event(text []byte) error {
	data, err := pipe.EncodeBounded(&pipe.Frame{Message: &pipe.Event{Text: text}})
	if err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.drain(nil)
	_, err = o.frames.Write(data)
	return err
}

// begin tells the parent that the cell begins. The cell becomes the main one unless the current
// main cell still runs.
func (o *outlets) begin(c *cells.Cell) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	main := o.main == nil || o.main.Ended()
	data, err := pipe.EncodeBounded(&pipe.Frame{Cell: c.Number, Message: &pipe.Begin{Main: main}})
	if err != nil {
		return err
	}
	if main {
		o.drain(nil)
		o.main = c
	}
	_, err = o.frames.Write(data)
	return err
}

// forget tells the parent that the cell can send nothing any more, unless it is alive.
func (o *outlets) forget(number int, alive func(int) bool) error {
	data, err := pipe.EncodeBounded(&pipe.Frame{Cell: number, Message: &pipe.Forget{}})
	if err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	// A cell that is alive sends its last frame after this lock is released, and until then the
	// parent does not forget the cell.
	if alive(number) {
		return nil
	}
	_, err = o.frames.Write(data)
	return err
}

// mainCell returns the main cell, or nil before the first cell.
func (o *outlets) mainCell() *cells.Cell {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.main
}

// drain waits until the parent has emptied all streams except the given one.
func (o *outlets) drain(except *os.File) {
	for _, file := range [...]*os.File{o.stdout, o.stderr, o.runtime} {
		if file != except {
			awaitEmpty(file)
		}
	}
}
