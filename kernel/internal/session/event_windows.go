package session

import (
	"context"
	"os"
	"strconv"

	"golang.org/x/sys/windows"
)

// watchEvent sends an interrupt each time the event that Jupyter names in JPY_INTERRUPT_EVENT is
// set. Clients use it to interrupt a kernel that is not registered for messages.
func watchEvent(ctx context.Context, signals chan<- os.Signal) error {
	event, err := strconv.ParseUint(os.Getenv("JPY_INTERRUPT_EVENT"), 10, 64)
	if err != nil {
		return nil // there is no event
	}
	return await(ctx, windows.Handle(event), func() bool {
		select {
		case signals <- os.Interrupt:
		default: // enough interrupts are waiting
		}
		return true
	})
}

// await calls do each time the system object is signaled, until do returns false or ctx is done.
func await(ctx context.Context, object windows.Handle, do func() bool) error {
	end, err := windows.CreateEvent(nil, 1, 0, nil)
	if err != nil {
		return err
	}
	// The event stays open: a kernel opens only two in its life.
	context.AfterFunc(ctx, func() { _ = windows.SetEvent(end) })
	go func() {
		for {
			// The error tells whether object is something that can be waited for.
			n, err := windows.WaitForMultipleObjects([]windows.Handle{end, object}, false, windows.INFINITE)
			if err != nil || n != windows.WAIT_OBJECT_0+1 || !do() {
				return
			}
		}
	}()
	return nil
}

// orphanhood returns a channel that is closed when the process that started this kernel is gone. If
// the kernel should end with Jupyter, Jupyter passes a handle to its own process in JPY_PARENT_PID;
// otherwise the channel stays open.
func orphanhood(ctx context.Context, starter string) <-chan struct{} {
	orphaned := make(chan struct{})
	number, err := strconv.ParseUint(starter, 10, 64)
	if err != nil {
		return orphaned
	}
	parent := windows.Handle(number)
	// A value that is not the handle of a process, such as a process id, tells nothing.
	if id, err := windows.GetProcessId(parent); err != nil || id == 0 {
		return orphaned
	}
	// If waiting fails, nothing is known either.
	_ = await(ctx, parent, func() bool {
		close(orphaned)
		return false
	})
	return orphaned
}
