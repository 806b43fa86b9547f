package worker

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"

	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/worker/cells"
	"github.com/hierml/notebook/kernel/internal/worker/pipe"
)

// A job is a request that the child carries out, or one that has ended and has left goroutines in
// the child.
type job struct {
	// ctx is done when the caller's is, or when the job is interrupted for the sake of others.
	ctx    context.Context
	cancel context.CancelCauseFunc
	cell   int
	// program is the program to run; nil for other requests.
	program *program.Program

	// signalled says that the interrupt was only a signal to the program.
	signalled atomic.Bool

	mu  sync.Mutex // held while out is called, except for its Input
	out program.Output

	// Used only by the goroutine of the pump: whether the child has started the cell, and the text
	// held back until its last UTF-8 sequence is complete.
	begun bool
	texts cells.Texts

	// done is closed when the request is finished, with these results.
	done   chan struct{}
	answer pipe.Answer
	err    error
}

func newJob(ctx context.Context, cell int, request pipe.Request, out program.Output) *job {
	j := &job{cell: cell, out: out, done: make(chan struct{})}
	if run, ok := request.(*pipe.Run); ok {
		j.program = run.Program
	}
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
	j.texts.Take(name, data, j.text)
}

func (j *job) text(name, text string) {
	if text != "" {
		j.show(func(out program.Output) { out.Stream(name, text) })
	}
}

// flush shows the text that was held back.
func (j *job) flush() {
	j.texts.Flush(j.text)
}

// ask asks the user for a line.
func (j *job) ask(q *pipe.Question) *pipe.Line {
	if j.ended() {
		return &pipe.Line{Failure: &pipe.Failure{Message: "the cell that asks has ended"}}
	}
	text, err := j.out.Input(j.ctx, q.Prompt, q.Password)
	if err != nil {
		return &pipe.Line{Failure: &pipe.Failure{Message: err.Error(), Canceled: j.ctx.Err() != nil, End: errors.Is(err, io.EOF)}}
	}
	return &pipe.Line{Text: text}
}

func (j *job) end(answer pipe.Answer, err error) {
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

// failure returns the error of a request that failed.
func (j *job) failure(f *pipe.Failure) error {
	switch {
	case f.Runtime != nil:
		return f.Runtime
	case f.Canceled && j.ctx.Err() != nil:
		return program.Interruption(j.ctx)
	}
	return errors.New(f.Message)
}

// died returns the error of the job when the child has died. If the cell had begun and no other
// place is known, the place is the cell.
func (j *job) died(death program.DeathError) *program.DeathError {
	if j.begun && len(death.Frames) == 0 {
		death.Frames = []program.Frame{{Cell: j.cell}}
	}
	return &death
}
