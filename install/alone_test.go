package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hierml/notebook/install/internal/place"
)

// TestOneInstallationAtATime is the attack install_failed_upgrade: who comes second is told of the
// first and does nothing.
func TestOneInstallationAtATime(t *testing.T) {
	places, _ := installed(t, t.TempDir())
	_, held, err := begin(places)
	if err != nil {
		t.Fatal(err)
	}
	before := tree(t, places.Data)
	want := fmt.Sprintf("process %d, which began at ", os.Getpid())
	_, _, err = begin(places)
	if err == nil || !strings.HasPrefix(err.Error(), want) || !strings.HasSuffix(err.Error(), ", is at work in "+places.Data+"; wait until it has ended") {
		t.Errorf("a second installation: %v", err)
	}
	if err := uninstall(t.Output(), places); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("uninstall meanwhile: %v", err)
	}
	if after := tree(t, places.Data); !slices.Equal(before, after) {
		t.Errorf("there was %q, now there is %q", before, after)
	}
	if err := held.Release(); err != nil {
		t.Fatal(err)
	}
	if err := uninstall(t.Output(), places); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(places.Data); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("uninstall left %q", tree(t, places.Data))
	}
}

// TestReceiptKeepsAll is the attack install_failed_upgrade: what installations have made that began
// at the same time is in one receipt.
func TestReceiptKeepsAll(t *testing.T) {
	places, err := place.Prefix(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for n := range 4 {
		wait.Go(func() {
			for range 10_000 {
				r, held, err := begin(places)
				if err != nil {
					if !strings.Contains(err.Error(), "is at work") {
						t.Error(err)
						return
					}
					continue
				}
				r.addKernel(fmt.Sprint("k", n))
				r.addProgram(fmt.Sprint("p", n))
				if err := errors.Join(r.save(), held.Release()); err != nil {
					t.Error(err)
				}
				return
			}
			t.Error("the lock was never free")
		})
	}
	wait.Wait()
	r, err := openReceipt(places)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(r.Kernels)
	slices.Sort(r.Programs)
	if got := fmt.Sprint(r.Kernels, r.Programs); got != "[k0 k1 k2 k3] [p0 p1 p2 p3]" {
		t.Errorf("the receipt has %s", got)
	}
	if !slices.Contains(r.Folders, places.Data) {
		t.Errorf("the receipt has the folders %q", r.Folders)
	}
}

// TestReceiptOfEarlierVersion holds that a program is not forgotten that an earlier version noted.
func TestReceiptOfEarlierVersion(t *testing.T) {
	places, r := installed(t, t.TempDir())
	if err := os.WriteFile(r.path, []byte(`{"program": "/bin/old", "kernels": ["k"]}`), 0o644); err != nil {
		t.Fatal(err)
	}
	r, held, err := begin(places)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Release()
	r.addProgram(filepath.Join("/bin", "new"))
	if got := fmt.Sprint(r.Programs, r.Kernels); got != "[/bin/old /bin/new] [k]" {
		t.Errorf("got %s", got)
	}
}
