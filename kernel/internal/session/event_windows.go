package session

import (
	"context"
	"os"
	"strconv"

	"golang.org/x/sys/windows"
)

// heedEvent makes an interrupt of each time that the event is set which Jupyter names in
// JPY_INTERRUPT_EVENT: by it clients interrupt a kernel that is not registered for messages.
func heedEvent(ctx context.Context, signals chan<- os.Signal) error {
	event, err := strconv.ParseUint(os.Getenv("JPY_INTERRUPT_EVENT"), 10, 64)
	if err != nil {
		return nil // there is none
	}
	return await(ctx, windows.Handle(event), func() bool {
		select {
		case signals <- os.Interrupt:
		default: // there are enough of them
		}
		return true
	})
}

// await calls do each time that an object of the system is signaled, until that returns false or
// ctx ends.
func await(ctx context.Context, object windows.Handle, do func() bool) error {
	end, err := windows.CreateEvent(nil, 1, 0, nil)
	if err != nil {
		return err
	}
	// The event stays open: there are two in the life of a kernel.
	context.AfterFunc(ctx, func() { _ = windows.SetEvent(end) })
	go func() {
		for {
			// What is no object, or none that can be waited for, is an error.
			n, err := windows.WaitForMultipleObjects([]windows.Handle{end, object}, false, windows.INFINITE)
			if err != nil || n != windows.WAIT_OBJECT_0+1 || !do() {
				return
			}
		}
	}()
	return nil
}

// orphanhood returns a channel that is closed when the process that started this kernel is gone.
// Jupyter gives a handle of itself in JPY_PARENT_PID when the kernel is to end with it; otherwise
// the channel stays open.
func orphanhood(ctx context.Context, starter string) <-chan struct{} {
	orphaned := make(chan struct{})
	number, err := strconv.ParseUint(starter, 10, 64)
	if err != nil {
		return orphaned
	}
	parent := windows.Handle(number)
	// What is no handle of a process, as the number of one, says nothing.
	if id, err := windows.GetProcessId(parent); err != nil || id == 0 {
		return orphaned
	}
	// Without the means to wait, nothing is known either.
	_ = await(ctx, parent, func() bool {
		close(orphaned)
		return false
	})
	return orphaned
}
