package worker

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/hierml/notebook/kernel/engine"
)

// The pipes that the parent reads, in the order in which they are served.
const (
	pipeFrames = iota
	pipeStdout
	pipeStderr
	pipeRuntime
	pipeWake // tells that there is a job; read between jobs only
	pipes
)

// maxLastWords bounds what is kept of the run time's own output.
const maxLastWords = 64 << 10

// loop hands jobs to the child and reads what it writes, until it is gone.
func (c *connection) loop() {
	p := &pump{c: c}
	for !p.ended {
		p.step(-1)
	}
	<-c.exited
	c.mu.Lock()
	_ = unix.Kill(-c.cmd.Process.Pid, unix.SIGKILL) // what the child has left behind
	c.mu.Unlock()
	p.drain()
	p.flush(false)
	death := c.death(p.words.String())
	c.mu.Lock()
	c.cause = death.Cause
	close(c.gone)
	c.mu.Unlock()
	if p.running {
		p.job.err = death
		close(p.job.done)
	}
	closeAll(c.commands, c.wake)
	closeAll(c.files[:]...)
}

// A pump reads the pipes of a child.
type pump struct {
	c       *connection
	job     *job // the one that runs or ran last; nil before the first
	running bool // the job is not done
	ended   bool // the child has closed its frames, which it does only by ending
	frames  frameBuffer
	stdout  partial
	stderr  partial
	words   strings.Builder // what the run time wrote
	buffer  [64 << 10]byte
}

// begin sends a job to the child.
func (p *pump) begin(j *job) {
	p.drain()
	p.flush(true)
	p.job, p.running = j, true
	if err := p.c.send(&frame{Kind: frameRun, Program: j.program}); err != nil && !errors.Is(err, unix.EPIPE) {
		p.end(fmt.Errorf("send the cell to the worker: %w", err))
	}
}

// end ends the job, with all its output shown.
func (p *pump) end(err error) {
	p.flush(true)
	p.running, p.job.err = false, err
	close(p.job.done)
}

// flush shows what was held back: incomplete characters and, unless it tells
// of the child's death, what the run time wrote.
func (p *pump) flush(alive bool) {
	p.stream("stdout", p.stdout.rest())
	p.stream("stderr", p.stderr.rest())
	if text := p.words.String(); alive || !isLastWords(text) {
		p.words.Reset()
		p.stream("stderr", text)
	}
}

// drain reads what is in the streams now. There need be no end of it:
// processes that the child has started may go on writing.
func (p *pump) drain() {
	const most = 64 << 20 / len(p.buffer)
	for range most {
		if !p.step(0) {
			break
		}
	}
}

// step waits for data, for as many milliseconds as poll(2) is told, and handles
// one piece of it. It reports whether there was any.
func (p *pump) step(timeout int) bool {
	var fds [pipes]unix.PollFd
	for i := range fds {
		fds[i] = unix.PollFd{Fd: int32(p.c.fds[i]), Events: unix.POLLIN}
		if p.c.eof[i] {
			fds[i].Fd = -1
		}
	}
	if p.running || timeout == 0 {
		fds[pipeWake].Fd = -1
	}
	if _, err := unix.Poll(fds[:], timeout); err != nil {
		return true // interrupted by a signal
	}
	for i := range fds {
		if fds[i].Revents == 0 {
			continue
		}
		n, err := unix.Read(p.c.fds[i], p.buffer[:])
		switch {
		case err == unix.EINTR:
		case err != nil || n == 0:
			p.c.eof[i] = true
			p.ended = p.ended || i == pipeFrames
		default:
			p.take(i, p.buffer[:n])
		}
		return true
	}
	return false
}

// take handles a piece of data from a pipe.
func (p *pump) take(pipe int, data []byte) {
	switch pipe {
	case pipeFrames:
		p.frames.write(data)
		for {
			f, err := p.frames.next()
			if err != nil {
				p.c.kill(err.Error())
				return
			}
			if f == nil {
				return
			}
			p.frame(f)
		}
	case pipeWake:
		p.begin(<-p.c.jobs)
	case pipeStdout:
		p.stream("stdout", p.stdout.take(data))
	case pipeStderr:
		p.stream("stderr", p.stderr.take(data))
	case pipeRuntime:
		switch {
		case p.words.Len() < maxLastWords:
			p.words.Write(data)
		case !isLastWords(p.words.String()):
			p.stream("stderr", p.words.String())
			p.words.Reset()
			p.words.Write(data)
		}
	}
}

func (p *pump) stream(name, text string) {
	if text != "" && p.job != nil {
		p.job.show(func(out engine.Output) { out.Stream(name, text) })
	}
}

func (p *pump) frame(f *frame) {
	if p.job == nil {
		return
	}
	switch f.Kind {
	case frameDone:
		if p.running {
			p.end(p.job.result(f))
		}
	case frameDisplay:
		p.job.show(func(out engine.Output) { out.Display(f.Bundle.unpack(), f.ID, f.Update) })
	case frameClear:
		p.job.show(func(out engine.Output) { out.Clear(f.Wait) })
	case frameComm:
		// There is no front end only where no cell listens for one.
		p.job.show(func(out engine.Output) { _ = out.Comm(f.Comm) })
	case framePage:
		p.job.show(func(out engine.Output) { out.Page(f.Bundle.unpack()) })
	case frameNextInput:
		p.job.show(func(out engine.Output) { out.NextInput(f.Text, f.Replace) })
	case frameInput:
		answer := &frame{Kind: frameLine, Failure: &failure{Message: "the cell that asks has ended"}}
		if p.running {
			p.job.show(func(out engine.Output) {
				line, err := out.Input(p.job.ctx, f.Text, f.Password)
				answer.Text, answer.Failure = line, nil
				if err != nil {
					answer.Failure = &failure{Message: err.Error(), Canceled: p.job.ctx.Err() != nil}
				}
			})
		}
		_ = p.c.send(answer) // see send
	}
}

// A partial holds the beginning of a UTF-8 sequence whose end is yet to come.
type partial []byte

// take returns the data, after what was held back before, up to its last
// whole UTF-8 sequence.
func (h *partial) take(data []byte) string {
	all := append(*h, data...)
	cut := len(all)
	for i := 1; i < utf8.UTFMax && i <= len(all); i++ {
		if start := len(all) - i; utf8.RuneStart(all[start]) {
			if !utf8.FullRune(all[start:]) {
				cut = start
			}
			break
		}
	}
	text := string(all[:cut])
	*h = append([]byte(nil), all[cut:]...)
	return text
}

// rest returns what was held back.
func (h *partial) rest() string {
	text := string(*h)
	*h = nil
	return text
}
