package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/hierml/notebook/kernel/internal/program"
)

// A job is one request that the child carries out, or one that has ended and has
// left goroutines in the child.
type job struct {
	// ctx ends when the caller's ends, or when the job is interrupted for
	// the sake of others.
	ctx    context.Context
	cancel context.CancelCauseFunc
	cell   int
	// program is what is to be run; nil if something else is asked.
	program *program.Program

	mu  sync.Mutex // held while out is called, except for its Input
	out program.Output

	// Used by the goroutine of the pump only: whether the child has begun
	// with the cell, and what is held back until the rest of a UTF-8
	// sequence is there.
	begun          bool
	stdout, stderr partial

	// done is closed when the request has been carried out, with these results.
	done   chan struct{}
	answer *frame
	err    error
}

func newJob(ctx context.Context, request *frame, out program.Output) *job {
	j := &job{cell: request.Cell, program: request.Program, out: out, done: make(chan struct{})}
	j.ctx, j.cancel = context.WithCancelCause(ctx)
	return j
}

func (j *job) show(f func(program.Output)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	f(j.out)
}

// stream shows text that was written to one of the streams.
func (j *job) stream(name string, data []byte) {
	held := &j.stdout
	if name == "stderr" {
		held = &j.stderr
	}
	j.text(name, held.take(data))
}

func (j *job) text(name, text string) {
	if text != "" {
		j.show(func(out program.Output) { out.Stream(name, text) })
	}
}

// flush shows what was held back.
func (j *job) flush() {
	j.text("stdout", j.stdout.rest())
	j.text("stderr", j.stderr.rest())
}

// input asks the user for a line, and returns the frame that answers.
func (j *job) input(question *frame) *frame {
	answer := &frame{Kind: frameLine}
	if j.ended() {
		answer.Failure = &failure{Message: "the cell that asks has ended"}
		return answer
	}
	var err error
	if answer.Text, err = j.out.Input(j.ctx, question.Text, question.Password); err != nil {
		answer.Failure = &failure{Message: err.Error(), Canceled: j.ctx.Err() != nil, End: errors.Is(err, io.EOF)}
	}
	return answer
}

func (j *job) end(answer *frame, err error) {
	j.answer, j.err = answer, err
	close(j.done)
	j.cancel(nil)
}

func (j *job) ended() bool {
	select {
	case <-j.done:
		return true
	default:
		return false
	}
}

// result is what the child says at the end.
func (j *job) result(f *frame) (*frame, error) {
	switch {
	case f.Failure == nil:
		return f, nil
	case f.Failure.Runtime != nil:
		return nil, f.Failure.Runtime
	case f.Failure.Canceled && j.ctx.Err() != nil:
		return nil, fmt.Errorf("interrupted: %w", context.Cause(j.ctx))
	}
	return nil, errors.New(f.Failure.Message)
}

// died returns the error of the job, given the death of the child. The place is
// the cell, if it had begun and nothing else is known.
func (j *job) died(death program.DeathError) *program.DeathError {
	if j.begun && len(death.Frames) == 0 {
		death.Frames = []program.Frame{{Cell: j.cell}}
	}
	return &death
}
