//go:build unix

package lock

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
)

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	if l, err := Existing(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Existing of nothing: %v, %v", l, err)
	}
	must := func(take func(string) (*Lock, error)) *Lock {
		t.Helper()
		l, err := take(path)
		if err != nil || l == nil {
			t.Fatal(l, err)
		}
		return l
	}
	release := func(l *Lock) {
		t.Helper()
		if err := l.Release(); err != nil {
			t.Fatal(err)
		}
	}
	refused := func(take func(string) (*Lock, error)) {
		t.Helper()
		if l, err := take(path); l != nil || err != nil {
			t.Errorf("got %v, %v where another has the lock", l, err)
		}
	}
	one, two := must(Shared), must(Shared)
	refused(Alone)
	refused(Existing)
	release(one)
	refused(Alone)
	release(two)
	alone := must(Alone)
	refused(Shared)
	for _, text := range []string{"a long text", "short"} {
		if err := alone.Write(text); err != nil {
			t.Fatal(err)
		}
		if got, err := Holder(path); got != text || err != nil {
			t.Errorf("the holder is %q, %v", got, err)
		}
	}
	release(alone)
	release(must(Existing))
}

// TestLockOfRemovedFile is the attack install_cell_folders_race: who has the lock may remove the
// file, and no two have it at a time.
func TestLockOfRemovedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	var holders atomic.Int32
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for taken := 0; taken < 200; {
				l, err := Alone(path)
				if err != nil {
					t.Error(err)
					return
				}
				if l == nil {
					runtime.Gosched()
					continue
				}
				taken++
				if n := holders.Add(1); n != 1 {
					t.Errorf("%d have the lock", n)
				}
				runtime.Gosched()
				holders.Add(-1)
				if err := os.Remove(path); err != nil { // from here on another may have it
					t.Error(err)
				}
				if err := l.Release(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
}

// TestLockThroughLink is the attack module_planted_lock: nothing that a link leads to is opened,
// nor what is not a file.
func TestLockThroughLink(t *testing.T) {
	dir := t.TempDir()
	target, link, pipe := filepath.Join(dir, "target"), filepath.Join(dir, "link"), filepath.Join(dir, "pipe")
	if err := os.WriteFile(target, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Symlink(target, link), syscall.Mkfifo(pipe, 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{link, pipe} {
		for _, take := range []func(string) (*Lock, error){Alone, Shared, Existing} {
			if l, err := take(path); l != nil || err == nil {
				t.Errorf("%s: %v, %v", filepath.Base(path), l, err)
			}
		}
	}
}
