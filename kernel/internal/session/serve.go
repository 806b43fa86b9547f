//go:build !js

package session

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/hierml/notebook/kernel/internal/wire"
	"github.com/hierml/notebook/kernel/internal/wire/zmq"
)

// Serve runs a Jupyter kernel. It serves the front ends that connect through the connection file,
// until one of them asks it to shut down, ctx is done or the process receives SIGTERM. SIGINT
// interrupts the running cells and otherwise does nothing. The error is nil after a requested
// shutdown. Serve continues if nobody reads its standard output or standard error.
//
// Serve calls newEvaluator once the kernel can be reached, and closes the evaluator at the end.
func Serve(ctx context.Context, connectionFile string, newEvaluator func() (Evaluator, error), config Config) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	orphaned := orphanhood(ctx, os.Getenv("JPY_PARENT_PID"))
	if config.Log == nil {
		config.Log = slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	info, err := wire.ReadConnectionFile(connectionFile)
	if err != nil {
		return err
	}
	if warning := wire.Exposed(connectionFile); warning != "" {
		config.Log.Warn(warning)
	}
	// Without this, Go ends a program that writes to a closed standard error, such as this one's
	// log, or standard output. Child processes inherit an ignored signal, but not a caught one, so
	// the signal is caught.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	if err := watchEvent(ctx, signals); err != nil {
		return err
	}
	server, err := zmq.Listen(info, wire.Config{Log: config.Log})
	if err != nil {
		return err
	}
	evaluator, err := newEvaluator()
	if err != nil {
		return errors.Join(err, server.Close())
	}
	defer func() { err = errors.Join(err, evaluator.Close()) }()
	s := newSession(server, evaluator, config)
	s.start()
	for {
		select {
		case signal := <-signals:
			if signal == os.Interrupt {
				s.interrupt()
				continue
			}
		case <-orphaned:
			config.Log.Warn("the process that started this kernel is gone")
		case <-s.ending:
		case <-ctx.Done():
		}
		return s.close()
	}
}
