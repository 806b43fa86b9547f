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

// Serve is a Jupyter kernel: it serves the front ends that come by way of the connection file,
// until one of them asks it to end, ctx ends or the process receives SIGTERM. SIGINT interrupts the
// cells that run and does nothing while none does. The error is nil when the kernel ended as it was
// asked to. That nobody reads what it writes to its standard error, or output, does not end it.
//
// Serve makes the evaluator, which it closes at the end, once the kernel can be reached.
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
	// Else Go ends a program that writes to a standard error, as this one's log, or a standard
	// output, which nobody reads any more. Caught and not ignored, it is the default again in the
	// processes that are started.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	if err := heedEvent(ctx, signals); err != nil {
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
