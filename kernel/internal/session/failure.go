package session

import (
	"context"
	"errors"

	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/wire"
)

// A failure is an error as front ends show it.
type failure struct {
	Name      string
	Message   string
	Traceback []string // coloured lines
}

// failed makes a failure of any error.
func failed(err error) failure {
	var e *program.Error
	if errors.As(err, &e) {
		traceback := e.Traceback
		if traceback == nil {
			traceback = []string{}
		}
		return failure{e.Name, e.Message, traceback}
	}
	text := program.Shorten(err.Error())
	return failure{"Error", text, []string{text}}
}

// explain makes a failure of a cell's error, which may be that the cell's context is done.
func (s *session) explain(ctx context.Context, err error) failure {
	f := failed(err)
	if cause := context.Cause(ctx); cause != nil && (errors.Is(err, cause) || errors.Is(err, ctx.Err())) {
		var e *program.Error
		if !errors.As(err, &e) {
			return failure{"Interrupted", cause.Error(), []string{cause.Error()}}
		}
	}
	return f
}

func (f failure) reply() wire.Error {
	return wire.Error{Status: "error", Name: f.Name, Value: f.Message, Traceback: f.Traceback}
}

func (f failure) executeReply(count int, payload []any) wire.ExecuteError {
	if payload == nil {
		payload = []any{}
	}
	return wire.ExecuteError{
		ExecuteReply: wire.ExecuteReply{Status: "error", Count: count, UserExpressions: map[string]any{}, Payload: payload},
		Name:         f.Name,
		Value:        f.Message,
		Traceback:    f.Traceback,
	}
}
