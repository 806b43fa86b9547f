package soak

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hierml/notebook/internal/testprogram"
	"github.com/hierml/notebook/internal/testrun"
	"github.com/hierml/notebook/kernel/internal/wire/wiretest"
)

var (
	cells = flag.Int("cells", usual(), "how many cells to run")
	seed  = flag.Uint64("seed", 1, "what the cells are made from")
)

// usual is how many cells are run if nobody says how many.
func usual() int {
	if testrun.Long() {
		return 20_000
	}
	return 300
}

// growth is by how much the memory of both processes may grow, in KiB.
const growth = 50 << 10

// phase is for how many cells the session runs by one executor, at most, before it is begun anew
// with the other.
const phase = 5000

// patience is how long a cell may say nothing: the one that kills the worker fills a stack of a
// gigabyte first.
const patience = 30 * time.Second

// A kernel is a running one, with a client.
type kernel struct {
	t      *testing.T
	cmd    *exec.Cmd
	client *wiretest.Client
	stderr bytes.Buffer
	late   int // goroutines that have outlived their cells and not yet written
}

// start starts a kernel whose files are in a folder.
func start(t *testing.T, program, folder string) *kernel {
	t.Helper()
	info := wiretest.TCP(t)
	k := &kernel{t: t, cmd: exec.Command(program, "kernel", info.File(t))}
	k.cmd.Dir = folder
	k.cmd.Env = append(os.Environ(), "XDG_DATA_HOME="+folder, "XDG_STATE_HOME="+folder)
	k.cmd.Stderr = &k.stderr
	if err := k.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if k.cmd.ProcessState == nil {
			_ = k.cmd.Process.Kill() // it may have ended
			_ = k.cmd.Wait()         // says that it was killed
		}
		if t.Failed() {
			t.Logf("the kernel said:\n%.10000s", k.stderr.String())
		}
	})
	testrun.Await(t, "the kernel listens", info.Listening)
	k.client = wiretest.Dial(t, info)
	return k
}

// run runs a cell and reports what is wrong with what came.
func (k *kernel) run(c cell) error {
	client := k.client
	id := client.Send("shell", "execute_request", map[string]any{
		"code": c.source, "silent": false, "store_history": true, "allow_stdin": c.answer != "", "stop_on_error": false,
	})
	if c.answer != "" {
		asked := client.Recv("stdin")
		_, frames := client.Build("input_reply", map[string]any{"status": "ok", "value": c.answer}, asked.Header)
		client.SendFrames("stdin", frames)
	}
	var result, output, notes, failure, slider string
	if c.ends {
		defer func() { k.late = 0 }() // they have ended too
	}
	k.late += c.late
	for done := false; !done; {
		m := client.Poll("iopub", patience)
		if m == nil {
			k.t.Fatalf("%s: nothing on iopub in %v, and no idle\n%s", c.kind, patience, c.source)
		}
		if m.ParentID() != id {
			k.heard(m)
			continue
		}
		switch m.Brief() {
		case "stream":
			if c.interrupt && output == "" {
				client.Ask("control", "interrupt_request", nil)
			}
			if m.Content["name"] == "stderr" {
				notes += fmt.Sprint(m.Content["text"])
				continue
			}
			output += fmt.Sprint(m.Content["text"])
		case "comm_open":
			if id, state := model(m); state["_model_name"] == "IntSliderModel" {
				slider = id
			}
		case "execute_result":
			data, _ := m.Content["data"].(map[string]any)
			result += fmt.Sprint(data["text/plain"])
		case "error":
			failure += fmt.Sprint(m.Content["ename"])
		case "idle":
			done = true
		}
	}
	replaced := strings.Contains(notes, "note: the process that runs cells was replaced by another")
	if replaced {
		k.late = c.late // those before have ended with it
	}
	reply := client.Recv("shell")
	status := "ok"
	if c.failure != "" {
		status = "error"
	}
	switch {
	case reply.ParentID() != id:
		return fmt.Errorf("the reply is to %s, not to %s", reply.ParentID(), id)
	case reply.Content["status"] != status:
		return fmt.Errorf("status %v, want %s", reply.Content["status"], status)
	case result != c.result:
		return fmt.Errorf("result %.100q, want %.100q", result, c.result)
	case failure != c.failure:
		return fmt.Errorf("error %q, want %q", failure, c.failure)
	case output != c.output && c.failure == "" && !c.ends:
		return fmt.Errorf("output %.100q, want %.100q", output, c.output)
	case notes != "" && !replaced && c.failure == "":
		return fmt.Errorf("on standard error %.100q, want nothing", notes)
	case c.moved != "":
		return k.move(slider, id, c.moved)
	}
	return nil
}

// model returns what a message says of a widget.
func model(opened *wiretest.Message) (id string, state map[string]any) {
	data, _ := opened.Content["data"].(map[string]any)
	state, _ = data["state"].(map[string]any)
	return fmt.Sprint(opened.Content["comm_id"]), state
}

// move has the user move a slider, whose function is to print something below the cell, and to
// close it.
func (k *kernel) move(slider, cell, want string) error {
	id := k.client.Send("shell", "comm_msg", map[string]any{
		"comm_id": slider, "data": map[string]any{"method": "update", "state": map[string]any{"value": 7}},
	})
	output, idle, closed := "", false, false
	for !idle || !closed || output == "" {
		m := k.client.Poll("iopub", patience)
		switch {
		case m == nil:
			return fmt.Errorf("the slider that was moved wrote %.100q, want %q; its request is done: %t, it is closed: %t", output, want, idle, closed)
		case m.Type() == "comm_close" && m.Content["comm_id"] == slider:
			closed = true
		case m.ParentID() == id:
			idle = idle || m.Brief() == "idle"
		case m.ParentID() == cell && m.Type() == "stream":
			output += fmt.Sprint(m.Content["text"])
		default:
			k.heard(m)
		}
	}
	if output != want {
		return fmt.Errorf("the slider that was moved wrote %.100q, want %q", output, want)
	}
	return nil
}

// ask sends a request of another kind than a cell.
func (k *kernel) ask(n int) {
	client := k.client
	switch n % 7 {
	case 0:
		client.Ask("shell", "complete_request", map[string]any{"code": "strings.ToU", "cursor_pos": 11})
	case 1:
		client.Ask("shell", "inspect_request", map[string]any{"code": "fmt.Println", "cursor_pos": 11, "detail_level": n / 7 % 2})
	case 2:
		client.Ask("shell", "is_complete_request", map[string]any{"code": "for {"})
	case 3:
		client.Ask("shell", "history_request", map[string]any{"hist_access_type": "tail", "n": 10, "raw": true, "output": false})
	case 4:
		client.Ask("control", "kernel_info_request", nil)
	case 5:
		id := client.Send("shell", "comm_open", map[string]any{"comm_id": strconv.Itoa(n), "target_name": "nobody", "data": map[string]any{}})
		k.untilIdle(id)
	case 6:
		id := client.Send("shell", "comm_close", map[string]any{"comm_id": strconv.Itoa(n), "data": map[string]any{}})
		k.untilIdle(id)
	}
}

// evaluate returns the number that a cell shows.
func (k *kernel) evaluate(source string) int {
	k.t.Helper()
	reply := k.client.Ask("shell", "execute_request", map[string]any{"code": source})
	for _, m := range k.untilIdle(reply.ParentID()) {
		if m.Type() != "execute_result" {
			continue
		}
		data, _ := m.Content["data"].(map[string]any)
		if n, err := strconv.Atoi(fmt.Sprint(data["text/plain"])); err == nil {
			return n
		}
	}
	k.t.Fatalf("%s does not show a number", source)
	return 0
}

// A measurement is what both processes hold while no cell runs.
type measurement struct {
	kernel, worker footprint
	goroutines     int // of the worker
}

// over says what there is more of than there was before, memory aside.
func (m measurement) over(before measurement) string {
	for _, held := range []struct {
		what         string
		before, then int
	}{
		{"goroutines of the worker", before.goroutines, m.goroutines},
		{"file descriptors of the kernel", before.kernel.descriptors, m.kernel.descriptors},
		{"file descriptors of the worker", before.worker.descriptors, m.worker.descriptors},
	} {
		if held.then > held.before {
			return fmt.Sprintf("%s: %d, before %d", held.what, held.then, held.before)
		}
	}
	return ""
}

// untilIdle returns what is published for a request, up to idle.
func (k *kernel) untilIdle(id string) (published []*wiretest.Message) {
	k.t.Helper()
	for {
		m := k.client.Recv("iopub")
		if m.ParentID() != id {
			k.heard(m)
			continue
		}
		if published = append(published, m); m.Brief() == "idle" {
			return published
		}
	}
}

// heard notes what goroutines have written that outlive their cells.
func (k *kernel) heard(m *wiretest.Message) {
	if m.Type() == "stream" {
		k.late -= strings.Count(fmt.Sprint(m.Content["text"]), "late\n")
	}
}

// awaitLate returns when all goroutines that outlive their cells have written.
func (k *kernel) awaitLate() {
	k.t.Helper()
	for k.late > 0 {
		m := k.client.Poll("iopub", patience)
		if m == nil {
			k.t.Fatalf("%d goroutines that outlive their cells have written nothing in %v", k.late, patience)
		}
		k.heard(m)
	}
}

// measure returns what the processes hold when all goroutines have written that outlive their
// cells. They end a little later, for which callers that compare measure again.
func (k *kernel) measure() measurement {
	k.t.Helper()
	k.awaitLate()
	// The user's garbage is not what is looked for.
	m := measurement{goroutines: k.evaluate("debug.FreeOSMemory()\nruntime.NumGoroutine()")}
	var err error
	if m.kernel, err = look(k.cmd.Process.Pid); err != nil {
		k.t.Fatal(err)
	}
	if m.worker, err = k.worker(); err != nil {
		k.t.Fatal(err)
	}
	return m
}

// atRest is measure when goroutines of the last cells have ended: when there have been no fewer for
// a while.
func (k *kernel) atRest() measurement {
	k.t.Helper()
	m := k.measure()
	for same := 0; same < 10; same++ {
		if again := k.measure(); again.goroutines < m.goroutines {
			m, same = again, 0
		}
	}
	return m
}

// wantNoMore reports what there is more of than before, once what ends by itself has had the time.
func (k *kernel) wantNoMore(before measurement) {
	k.t.Helper()
	for deadline := time.Now().Add(wiretest.Patience); ; {
		left := k.measure().over(before)
		if left == "" {
			return
		}
		if time.Now().After(deadline) {
			k.t.Error(left)
			return
		}
	}
}

// worker returns the footprint of the kernel's only child.
func (k *kernel) worker() (footprint, error) {
	pids, err := children(k.cmd.Process.Pid)
	if err != nil {
		return footprint{}, err
	}
	if len(pids) != 1 {
		return footprint{}, fmt.Errorf("the kernel has the children %d, want its worker only", pids)
	}
	left, err := children(pids[0])
	if err != nil {
		return footprint{}, err
	}
	if len(left) > 0 {
		return footprint{}, fmt.Errorf("the worker has the children %d, want none", left)
	}
	return look(pids[0])
}

// end ends the kernel as a front end does.
func (k *kernel) end() {
	k.t.Helper()
	k.client.Ask("control", "shutdown_request", map[string]any{"restart": false})
	if err := k.cmd.Wait(); err != nil {
		k.t.Error(err)
	}
}

// quit ends the kernel by a signal at which it tells all of its goroutines, and returns how many
// there are without those that the run time starts when it needs them. Number 0 is no goroutine: it
// is told where the signal comes to a thread that has nothing to run. Nor does the one count that
// watches the memory of the worker, which ends some time after the last cell.
func (k *kernel) quit() int {
	k.t.Helper()
	if err := k.cmd.Process.Signal(syscall.SIGQUIT); err != nil {
		k.t.Fatal(err)
	}
	if err, exit := k.cmd.Wait(), (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		k.t.Fatal(err)
	}
	told := func(line string) int { return bytes.Count(k.stderr.Bytes(), []byte("\n"+line)) }
	n := told("goroutine ") - told("goroutine 0 ") - told("created by runtime.")
	n -= min(told("created by github.com/hierml/notebook/kernel/internal/worker.(*connection).add "), 1)
	if n == 0 {
		k.t.Error("the kernel ended without a word of its goroutines")
	}
	return n
}

func TestMain(m *testing.M) { os.Exit(testprogram.Run(m)) }

func TestSoak(t *testing.T) {
	testrun.LeaveOutShort(t)
	if runtime.GOOS != "linux" {
		t.Skip("what processes hold is read from Linux's /proc")
	}
	p := testprogram.Open(t, false)
	if _, err := p.Kit(); err != nil {
		t.Fatal(err) // what compiles cells
	}
	t.Setenv("TMPDIR", t.TempDir())
	folder := t.TempDir()
	k := start(t, p.File, folder)
	g := newGenerator(*seed)
	phase := min(phase, *cells/3)
	warm := min(phase/3, 1000)
	step := max(phase/30, 50)
	t.Logf("%7s %12s %6s %11s %11s %11s %9s %9s", "cells", "executor", "s", "kernel KiB", "worker KiB", "goroutines", "kernel fd", "worker fd")
	begun := time.Now()
	var mode string
	var base, last measurement
	born := 0           // the cell at which the worker started
	grown := 0          // by what the interpreting workers had grown before this one
	highest := [2]int{} // the most that a compiling one held, in each half of the cells
	wrong := 0
	times := make(map[string]int)
	// ended is called before the worker ends, and at the end.
	ended := func() {
		if base.worker.pid == 0 {
			return
		}
		if mode == "interpreted" {
			grown += last.worker.resident - base.worker.resident
		}
		k.wantNoMore(base)
		base.worker = footprint{}
	}
	for i := range *cells {
		if i%phase == 0 || i%phase == warm/2 {
			ended()
			born = i
		}
		var c cell
		switch i % phase {
		case 0:
			mode = []string{"compiled", "interpreted"}[i/phase%2]
			c = g.anew(mode)
		case warm / 2:
			c = g.death()
		default:
			c = g.next()
		}
		if c.interrupt && mode == "interpreted" {
			k.awaitLate() // some would end, too: see package interpreted
		}
		times[c.kind]++
		if err := k.run(c); err != nil {
			t.Errorf("cell %d (%s, %s): %v\n%.300s", i+1, c.kind, mode, err, c.source)
			if wrong++; wrong > 20 {
				t.Fatal("too many cells went wrong")
			}
		}
		if g.rand.IntN(5) == 0 {
			k.ask(g.rand.IntN(100))
		}
		if n := i + 1; n%step == 0 || n == *cells {
			m := k.measure()
			t.Logf("%7d %12s %6.1f %11d %11d %11d %9d %9d", n, mode, time.Since(begun).Seconds(),
				m.kernel.resident, m.worker.resident, m.goroutines, m.kernel.descriptors, m.worker.descriptors)
			if base.kernel.pid == 0 && n >= warm {
				base.kernel = m.kernel
			}
			if mode == "compiled" {
				half := i * 2 / *cells
				highest[half] = max(highest[half], m.worker.resident)
			}
			if base.worker.pid != m.worker.pid && n-born >= warm {
				rest := k.atRest()
				base.worker, base.goroutines = rest.worker, rest.goroutines
			}
			last = m
		}
	}
	ended()
	t.Logf("%d cells in %v; memory grew by %d KiB in the kernel, %d in processes that interpret, %d in those that run compiled cells; of each kind %v",
		*cells, time.Since(begun).Round(time.Second), last.kernel.resident-base.kernel.resident, grown, highest[1]-highest[0], times)
	if grown += last.kernel.resident - base.kernel.resident + max(0, highest[1]-highest[0]); grown > growth {
		t.Errorf("memory grew by %d KiB, want at most %d", grown, growth)
	}
	// Before a session that is new, nothing is left of the one before.
	if err := k.run(g.anew("compiled")); err != nil {
		t.Error(err)
	}
	fresh := start(t, p.File, t.TempDir())
	if err := fresh.run(newGenerator(*seed).anew("compiled")); err != nil {
		t.Error(err)
	}
	k.wantNoMore(fresh.measure())
	if now, before := k.quit(), fresh.quit(); now > before {
		t.Errorf("%d goroutines of the kernel are left:\n%sand %d of one that has just started:\n%s",
			now, summary(k.stderr.String()), before, summary(fresh.stderr.String()))
	}
	// They were killed, so the next one clears what they have left, and it leaves nothing.
	next := start(t, p.File, folder)
	if err := next.run(g.expression()); err != nil {
		t.Error(err)
	}
	next.end()
	left, err := filepath.Glob(filepath.Join(os.TempDir(), "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("the kernels have left %q behind: %v", left, err)
	}
}

// summary returns what goroutines were started by, and how often.
func summary(dump string) string {
	counts := make(map[string]int)
	for line := range strings.Lines(dump) {
		if by, ok := strings.CutPrefix(line, "created by "); ok {
			by, _, _ = strings.Cut(strings.TrimSpace(by), " in goroutine")
			counts[by]++
		}
	}
	var text strings.Builder
	for by, n := range counts {
		fmt.Fprintln(&text, n, by)
	}
	return text.String()
}
