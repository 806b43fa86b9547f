package worker

import (
	"fmt"
	"strings"
	"time"

	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/worker/pipe"
)

// The pipes that the parent reads, in the order in which it serves them.
const (
	pipeFrames = iota
	pipeStdout
	pipeStderr
	pipeRuntime
	pipes
)

// maxLastWords bounds how much of the run time's own output is kept.
const maxLastWords = 64 << 10

// maxQuestions bounds the questions that wait for the user. The child asks one at a time.
const maxQuestions = 16

// loop reads the child's output until the child is gone.
func (c *connection) loop() {
	p := &pump{c: c}
	for !p.ended {
		p.step(true)
	}
	c.expectExit()
	<-c.exited
	c.mu.Lock()
	c.tree.kill() // processes that the child has left behind
	c.mu.Unlock()
	p.drain()
	for _, j := range c.running() {
		j.flush()
	}
	p.flush(false)
	c.finish(p.words.String())
	closeAll(c.commands)
	c.inlets.close()
	c.tree.close()
}

// A pump reads the pipes of a child.
type pump struct {
	c      *connection
	main   int  // the cell to which the streams belong; 0 before the first
	left   bool // the child has forgotten that cell; only the streams still belong to it
	ended  bool // the child has closed its frames, which means that it ends
	frames pipe.Buffer
	words  strings.Builder // what the run time wrote
	buffer [64 << 10]byte
	last   int // the pipe that was read last
	crumbs int // consecutive small pieces from it
}

// crumb counts a small piece from a pipe. If many come in a row from a stream, crumb lets more of
// them gather: waking this side for each slows down their writer.
func (p *pump) crumb(from, size int) {
	const small, many, pause = 4 << 10, 32, 200 * time.Microsecond
	if from == pipeFrames || from != p.last || size > small {
		p.last, p.crumbs = from, 0
		return
	}
	if p.crumbs++; p.crumbs > many {
		time.Sleep(pause)
	}
}

// flush shows the text of the main cell that was held back: incomplete characters and, unless it
// reports the child's death, the output of the run time.
func (p *pump) flush(alive bool) {
	j := p.c.job(p.main)
	if j != nil {
		j.flush()
	}
	if text := p.words.String(); alive || !isLastWords(text) {
		p.words.Reset()
		if j != nil {
			j.text("stderr", text)
		}
	}
}

// drain reads the current content of the streams. It does not wait for their end: processes that
// the child has started may go on writing.
func (p *pump) drain() {
	const most = 64 << 20 / len(p.buffer)
	for range most {
		if !p.step(false) {
			break
		}
	}
}

// step handles one piece of data, and waits for it if wait is true. It reports whether there was
// any.
func (p *pump) step(wait bool) bool {
	in := p.c.inlets
	for i, ready := range in.look(wait) {
		if !ready {
			continue
		}
		if i != pipeFrames && !in.ended[pipeFrames] && in.has(pipeFrames) {
			// A frame may have come after its pipe was checked, and before this stream was written
			// to. Now it cannot be missed: a still later frame waits for the stream.
			i = pipeFrames
		}
		if n := in.read(i, p.buffer[:]); n > 0 {
			p.receive(i, p.buffer[:n])
			p.crumb(i, n)
		}
		p.ended = p.ended || in.ended[pipeFrames]
		return true
	}
	return false
}

// receive handles a piece of data from a pipe.
func (p *pump) receive(from int, data []byte) {
	switch from {
	case pipeFrames:
		p.frames.Add(data)
		for {
			f, err := p.frames.Next()
			if err != nil {
				p.c.kill(err.Error())
				return
			}
			if f == nil {
				return
			}
			p.frame(f)
		}
	case pipeStdout:
		p.stream("stdout", data)
	case pipeStderr:
		p.stream("stderr", data)
	case pipeRuntime:
		switch {
		case p.words.Len() < maxLastWords:
			p.words.Write(data)
		case !isLastWords(p.words.String()):
			p.stream("stderr", []byte(p.words.String()))
			p.words.Reset()
			p.words.Write(data)
		}
	}
}

func (p *pump) stream(name string, data []byte) {
	if j := p.c.job(p.main); j != nil {
		j.stream(name, data)
	}
}

// frame handles a frame. Cell code can also write to the pipe, so a well-formed frame may make no
// sense. If handling one fails, only the child is lost.
func (p *pump) frame(f *pipe.Frame) {
	defer func() {
		if fault := recover(); fault != nil {
			p.c.kill(fmt.Sprintf("the kernel failed on a message from the worker: %v", fault))
		}
	}()
	p.handle(f)
}

func (p *pump) handle(f *pipe.Frame) {
	if event, ok := f.Message.(*pipe.Event); ok {
		p.c.event(event.Text)
		return
	}
	begin, begins := f.Message.(*pipe.Begin)
	if begins && begin.Main {
		p.flush(true)
		if p.left && p.main != f.Cell {
			p.c.remove(p.main)
		}
		p.main, p.left = f.Cell, false
	}
	j := p.c.job(f.Cell)
	if j == nil {
		p.unknown(f.Message)
		return
	}
	switch m := f.Message.(type) {
	case *pipe.Begin:
		j.begun = true
	case *pipe.Declared:
		if j.program != nil && j.program.Declared != nil && !j.ended() {
			j.program.Declared()
		}
	case *pipe.Deep:
		j.cancel(program.ErrDeep)
	case *pipe.Signalled:
		j.signalled.Store(true)
	case pipe.Answer:
		if j.ended() {
			return // it is already answered
		}
		if f.Cell == p.main {
			p.flush(true)
		}
		j.flush()
		if failed, ok := m.(*pipe.Failed); ok {
			j.end(nil, j.failure(&failed.Failure))
		} else {
			j.end(m, nil)
		}
	case *pipe.Forget:
		switch {
		case !j.ended(): // another program of the cell has begun
		case f.Cell == p.main:
			p.left = true
		default:
			j.flush()
			p.c.remove(f.Cell)
		}
	case *pipe.Stream:
		j.stream(m.Name, m.Text.Data)
	case *pipe.Question:
		if p.c.questions.Add(1) > maxQuestions {
			p.c.kill(fmt.Sprintf("it asked more than %d questions at a time", maxQuestions))
			return
		}
		go func() {
			defer p.c.questions.Add(-1)
			p.c.asking.Lock()
			defer p.c.asking.Unlock()
			p.answer(j.ask(m))
		}()
	case *pipe.Comm:
		p.comm(j, m)
	default:
		j.show(func(out program.Output) { show(out, m) })
	}
}

// unknown answers a question of a cell that is no longer known.
func (p *pump) unknown(m pipe.Message) {
	unknown := &pipe.Failure{Message: "the cell that asks is not known any more"}
	switch m := m.(type) {
	case *pipe.Question:
		p.answer(&pipe.Line{Failure: unknown})
	case *pipe.Comm:
		p.answer(&pipe.Opened{ID: m.ID, Failure: unknown})
	}
}

// comm passes a message on, and tells a cell that opens a comm whether a front end takes it.
func (p *pump) comm(j *job, m *pipe.Comm) {
	var err error
	j.show(func(out program.Output) { err = out.Comm(m.Unpack()) })
	if m.Kind != "open" {
		return // the sender learned that when it opened the comm
	}
	answer := &pipe.Opened{ID: m.ID}
	if err != nil {
		answer.Failure = &pipe.Failure{Message: err.Error()}
	}
	p.answer(answer)
}

// answer answers a question of a cell.
func (p *pump) answer(m pipe.Message) { _ = p.c.send(0, m) } // can be encoded

// show shows the content of a message. The child sends none without a bundle.
func show(out program.Output, m pipe.Message) {
	switch m := m.(type) {
	case *pipe.Display:
		if m.Bundle != nil {
			out.Display(m.Bundle.Unpack(), m.ID, m.Update)
		}
	case *pipe.Clear:
		out.Clear(m.Wait)
	case *pipe.Page:
		if m.Bundle != nil {
			out.Page(m.Bundle.Unpack())
		}
	case *pipe.NextInput:
		out.NextInput(m.Source, m.Replace)
	}
}
