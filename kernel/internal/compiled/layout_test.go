//go:build go1.26 && !go1.27 && (amd64 || arm64)

package compiled

import (
	"debug/dwarf"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"unsafe"
)

// The run time's structs have the fields that rousing rests on where they are expected, as the
// compiler tells debuggers.
func TestLayout(t *testing.T) {
	data := forDebuggers(t)
	var g runtimeG
	var w waiter
	var c runtimeChannel
	want := map[string]map[string]uintptr{
		"runtime.g": {
			"stack": unsafe.Offsetof(g.low), "sched": unsafe.Offsetof(g.sched), "param": unsafe.Offsetof(g.param),
			"atomicstatus": unsafe.Offsetof(g.status), "goid": unsafe.Offsetof(g.number), "waitreason": unsafe.Offsetof(g.waitReason),
			"waiting": unsafe.Offsetof(g.waiting), "labels": unsafe.Offsetof(g.labels),
		},
		"runtime.gobuf": {"bp": unsafe.Offsetof(g.sched.frame)},
		"runtime.sudog": {
			"g": unsafe.Offsetof(w.g), "next": unsafe.Offsetof(w.next), "prev": unsafe.Offsetof(w.prev), "elem": unsafe.Offsetof(w.element),
			"isSelect": unsafe.Offsetof(w.isSelect), "success": unsafe.Offsetof(w.success), "waitlink": unsafe.Offsetof(w.waitlink), "c": unsafe.Offsetof(w.channel),
		},
		"runtime.maybeTraceablePtr": {"vp": unsafe.Offsetof(w.element.pointer), "vu": unsafe.Offsetof(w.element.address)},
		"runtime.hchan": {
			"qcount": unsafe.Offsetof(c.count), "dataqsiz": unsafe.Offsetof(c.size), "closed": unsafe.Offsetof(c.closed),
			"timer": unsafe.Offsetof(c.timer),
			"recvq": unsafe.Offsetof(c.receivers), "sendq": unsafe.Offsetof(c.senders),
		},
		"runtime.waitq": {"first": unsafe.Offsetof(c.receivers.first), "last": unsafe.Offsetof(c.receivers.last)},
	}
	for name, fields := range layouts(t, data, want) {
		for field, at := range want[name] {
			if got, ok := fields[field]; !ok || got != int64(at) {
				t.Errorf("%s.%s is at %d, %v, and not at %d", name, field, got, ok, at)
			}
		}
		delete(want, name)
	}
	for name := range want {
		t.Errorf("there is no %s", name)
	}
}

// The reasons to wait have the run time's numbers.
func TestReasonsToWait(t *testing.T) {
	want := map[string]int64{
		"runtime.waitReasonChanReceiveNilChan": fromNil, "runtime.waitReasonChanSendNilChan": toNil,
		"runtime.waitReasonSelectNoCases": noCases, "runtime.waitReasonSelect": selects,
		"runtime.waitReasonChanReceive": receiving, "runtime.waitReasonChanSend": sending,
		"runtime.waitReasonSyncCondWait": condition, "runtime.waitReasonSyncMutexLock": mutex,
		"runtime.waitReasonSyncRWMutexRLock": readLock, "runtime.waitReasonSyncRWMutexLock": writeLock,
		"runtime.waitReasonSyncWaitGroupWait": group,
	}
	r := forDebuggers(t).Reader()
	for {
		entry, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if entry == nil {
			break
		}
		name, _ := entry.Val(dwarf.AttrName).(string)
		if number, ok := want[name]; ok && entry.Tag == dwarf.TagConstant {
			if got := entry.Val(dwarf.AttrConstValue); got != number {
				t.Errorf("%s is %v, and not %d", name, got, number)
			}
			delete(want, name)
		}
	}
	for name := range want {
		t.Errorf("there is no %s", name)
	}
}

// forDebuggers returns what the compiler tells debuggers of a program.
func forDebuggers(t *testing.T) *dwarf.Data {
	t.Helper()
	dir := t.TempDir()
	source, file := filepath.Join(dir, "main.go"), filepath.Join(dir, "main")
	if err := os.WriteFile(source, []byte("package main\nfunc main() { <-make(chan int) }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-o", file, source)
	build.Env = append(os.Environ(), "GOOS=linux")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	f, err := elf.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	data, err := f.DWARF()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// layouts returns where the fields of structs are, by the names of the structs.
func layouts[V any](t *testing.T, data *dwarf.Data, of map[string]V) map[string]map[string]int64 {
	all := map[string]map[string]int64{}
	for r := data.Reader(); ; {
		entry, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if entry == nil {
			return all
		}
		name, _ := entry.Val(dwarf.AttrName).(string)
		if _, ok := of[name]; !ok || entry.Tag != dwarf.TagStructType {
			continue
		}
		typ, err := data.Type(entry.Offset)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = map[string]int64{}
		for _, field := range typ.(*dwarf.StructType).Field {
			all[name][field.Name] = field.ByteOffset
		}
	}
}
