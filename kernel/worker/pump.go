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
	pipes
)

// maxLastWords bounds what is kept of the run time's own output.
const maxLastWords = 64 << 10

// loop hands jobs to the child and reads what it writes, until it is gone.
func (c *connection) loop() {
	var lastWords string
	for alive := true; alive; {
		p := &pump{c: c}
		select {
		case j := <-c.jobs:
			p.job = j
			if alive = p.run(); !alive {
				lastWords = p.words.String()
				j.err = c.death(lastWords)
			}
			close(j.done)
		case <-c.exited:
			p.drain()
			lastWords = p.words.String()
			alive = false
		}
	}
	c.mu.Lock()
	if c.cause == "" {
		c.cause = causeOfDeath(lastWords, c.cmd.ProcessState)
	}
	_ = unix.Kill(-c.cmd.Process.Pid, unix.SIGKILL) // what the child has left behind
	close(c.gone)
	c.mu.Unlock()
	closeAll(c.commands)
	closeAll(c.files[:]...)
}

// A pump reads the pipes while one job runs.
type pump struct {
	c      *connection
	job    *job // nil where output goes nowhere
	frames frameBuffer
	stdout partial
	stderr partial
	words  strings.Builder // what the run time wrote
	done   bool
	buffer [64 << 10]byte
}

// run sends the job to the child and pumps until it is done. It reports
// whether the child is still alive.
func (p *pump) run() (alive bool) {
	if err := p.c.send(&frame{Kind: frameRun, Program: p.job.program}); err != nil && !errors.Is(err, unix.EPIPE) {
		p.job.err = fmt.Errorf("send the cell to the worker: %w", err)
		return true
	}
	for alive = true; alive && !p.done; {
		_, ended := p.step(-1)
		alive = !ended
	}
	if !alive {
		<-p.c.exited
		p.drain()
	}
	p.stream("stdout", p.stdout.rest())
	p.stream("stderr", p.stderr.rest())
	if text := p.words.String(); alive || !isLastWords(text) {
		p.stream("stderr", text)
	}
	return alive
}

// drain reads what a child that has ended left in its streams. Processes that
// it started may still hold them open, so there need be no end of file.
func (p *pump) drain() {
	p.c.eof[pipeFrames] = true
	for some := true; some; {
		some, _ = p.step(0)
	}
}

// step waits for data, for as many milliseconds as poll(2) is told, and handles
// one piece of it. It reports whether there was any, and whether the child has
// closed its frames, which it does only by ending.
func (p *pump) step(timeout int) (some, ended bool) {
	var fds [pipes]unix.PollFd
	for i := range fds {
		fds[i] = unix.PollFd{Fd: int32(p.c.fds[i]), Events: unix.POLLIN}
		if p.c.eof[i] {
			fds[i].Fd = -1
		}
	}
	if _, err := unix.Poll(fds[:], timeout); err != nil {
		return true, false // interrupted by a signal
	}
	for i := range fds {
		if fds[i].Revents == 0 {
			continue
		}
		n, err := unix.Read(p.c.fds[i], p.buffer[:])
		if err == unix.EINTR {
			return true, false
		}
		if err != nil || n == 0 {
			p.c.eof[i] = true
			return true, i == pipeFrames
		}
		p.take(i, p.buffer[:n])
		return true, false
	}
	return false, false
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
		p.job.result(f)
		p.done = true
	case frameDisplay:
		p.job.show(func(out engine.Output) { out.Display(f.Bundle.unpack(), f.ID, f.Update) })
	case frameClear:
		p.job.show(func(out engine.Output) { out.Clear(f.Wait) })
	case frameInput:
		answer := &frame{Kind: frameLine}
		p.job.show(func(out engine.Output) {
			line, err := out.Input(p.job.ctx, f.Text, f.Password)
			if answer.Text = line; err != nil {
				answer.Failure = &failure{Message: err.Error()}
			}
		})
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
