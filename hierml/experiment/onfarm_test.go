//go:build unix

package experiment

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/hierml/notebook/hierml/farm"
	"github.com/hierml/notebook/hierml/internal/farmed"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/synthetic"
	"github.com/hierml/notebook/internal/process"
)

// By these variables the processes of a farm know what they are parts of, and where they wait.
const (
	partOfTest      = "HIERML_TEST_PART_OF"
	directoryOfTest = "HIERML_TEST_DIRECTORY"
	repeatsOfTest   = "HIERML_TEST_REPEATS"
)

// outside is a testing.TB where no test is.
type outside struct{ testing.TB }

func (outside) Helper()                  {}
func (outside) Fatal(args ...any)        { panic(fmt.Sprint(args...)) }
func (outside) Context() context.Context { return context.Background() }

// studies that tests run on a farm, by name. Each has functions or types of the tests' own, so that
// the program of the tests is its own part.
var studies = map[string]func(testing.TB) *Study{
	"all kinds": study,
	"other data": func(t testing.TB) *Study {
		s := study(t)
		if os.Getenv(farm.PartVariable) != "" {
			s.Data[0].Set = linearTree(t, 61)
		}
		return s
	},
	"deadly": func(t testing.TB) *Study {
		s := plainStudy()
		s.Methods = append(s.Methods, Method{Name: "deadly", Estimator: Centroids{Fail: "killed"}})
		return s
	},
	"held": func(testing.TB) *Study {
		s := plainStudy()
		s.Repeats = 1
		s.Methods = append(s.Methods, Method{Name: "held", Estimator: Centroids{Noise: 1, Fail: "held"}})
		return s
	},
	"many": func(t testing.TB) *Study {
		repeats, err := strconv.Atoi(os.Getenv(repeatsOfTest))
		if err != nil {
			t.Fatal(err)
		}
		s := plainStudy()
		s.Methods, s.Repeats = s.Methods[:1], repeats
		return s
	},
	"failing": func(testing.TB) *Study {
		s := plainStudy()
		s.Methods = append(s.Methods, Method{Name: "failing", Estimator: Centroids{Fail: "error"}})
		return s
	},
}

func plainStudy() *Study {
	return &Study{
		Name:    "plain",
		Data:    []Data{{Name: "drawn", Generator: synthetic.LinearTree{Depth: 2, Features: 4, Instances: 40}}},
		Methods: []Method{{Name: "plain", Estimator: Centroids{}}, {Name: "noisy", Estimator: Centroids{Noise: 2}}},
		Repeats: 3, Measures: []string{"accuracy"},
	}
}

// computePart is what a process of a farm does in these tests.
func computePart(name, directory string) error {
	s := studies[name](outside{})
	s.Directory, s.Farm = directory, farm.Local{}
	_, err := s.Run(context.Background())
	return errors.Join(err, errors.New("a part goes on behind Run"))
}

// onFarm returns the study of a name as two processes at a time compute it in a directory.
func onFarm(t testing.TB, name string) *Study {
	t.Helper()
	s := studies[name](t)
	s.Directory, s.Farm = filepath.Join(t.TempDir(), "a.study"), farm.Local{Processes: 2}
	t.Setenv(partOfTest, name)
	t.Setenv(directoryOfTest, s.Directory)
	t.Setenv("GORACE", "atexit_sleep_ms=0") // processes that race detectors watch end a second late
	return s
}

// gate makes what cells that are held wait for; open lets one go.
func gate(t *testing.T) (open func()) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "gate")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(gateOfTest, name)
	return func() {
		if err := os.WriteFile(name, nil, 0); err != nil { // waits for who reads
			t.Error(err)
		}
	}
}

// lines returns how often each key stands in the files of processes.
func lines(t *testing.T, directory string) map[string]int {
	t.Helper()
	n := make(map[string]int)
	if err := newReader(directory).read(nil, func(_ string, c *Cell) { n[c.Key]++ }, func(text string) { t.Error(text) }); err != nil {
		t.Fatal(err)
	}
	return n
}

// attempts returns how often something was submitted.
func attempts(t *testing.T, directory string) int {
	t.Helper()
	n, err := farmed.LastNumber(directory)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestFarm compares a study that other processes compute with one of this process: with functions,
// types of its own, data given in Go and drawn, points that are chosen, and cells that fail.
func TestFarm(t *testing.T) {
	want := complete(t, study(t))
	s := onFarm(t, "all kinds")
	var last string
	s.Progress = func(done float64, state string) error { last = fmt.Sprint(done, " ", state); return nil }
	r := complete(t, s)
	if got := everything(r); got != everything(want) {
		t.Errorf("on a farm\n%s\nhere\n%s", got, everything(want))
	}
	if all := len(r.all()); !strings.HasPrefix(last, fmt.Sprintf("1 %d of %d cells, ", all, all)) {
		t.Errorf("the progress function was told last: %q", last)
	}
	for key, n := range lines(t, s.Directory) {
		if n != 1 {
			t.Errorf("cell %s was computed %d times", key, n)
		}
	}
	if n := attempts(t, s.Directory); n != 1 {
		t.Errorf("%d jobs", n)
	}
	loaded, err := Load(s.Directory)
	if err != nil {
		t.Fatal(err)
	}
	if got := everything(loaded); got != everything(want) {
		t.Errorf("loaded\n%s\nwant\n%s", got, everything(want))
	}
	s.Progress = nil
	if complete(t, s); attempts(t, s.Directory) != 1 {
		t.Error("a finished study was submitted again")
	}
	if s.Farm = nil; complete(t, s) == nil || attempts(t, s.Directory) != 1 {
		t.Error("a finished study was computed again")
	}
}

// TestFarmWaitsTogether ends the waiting, waits twice at the same time, and looks what cannot
// be done meanwhile.
func TestFarmWaitsTogether(t *testing.T) {
	open := gate(t)
	s := onFarm(t, "held")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	stop := errors.New("stop")
	s.Progress = func(done float64, _ string) error {
		if done == 2./3 { // all but the one that is held
			cancel(stop)
		}
		return nil
	}
	if _, err := s.Run(ctx); !errors.Is(err, stop) || !strings.Contains(err.Error(), "goes on, with 2 of 3 cells finished: run the study again to wait for the rest, or stop it") {
		t.Fatal(err)
	}
	s.Progress = nil
	here := *s
	here.Farm = nil
	if _, err := here.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "a farm is computing cells of "+s.Directory) {
		t.Errorf("a run beside the farm: %v", err)
	}
	other := *s
	other.Seed = 5
	if _, err := other.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "a farm is computing an earlier version of the study in "+s.Directory) {
		t.Errorf("another study: %v", err)
	}
	if r, err := Load(s.Directory); err != nil || r.Missing != 1 {
		t.Errorf("meanwhile: %v, %v", r, err)
	}
	// Both wait when the gate opens: each says so.
	waiting := make(chan bool, 100)
	results := make(chan error, 2)
	for range 2 {
		own := *s
		own.Progress = func(done float64, _ string) error { waiting <- done < 1; return nil }
		go func() {
			_, err := own.Run(t.Context())
			results <- err
		}()
	}
	<-waiting
	open()
	for range 2 {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
	if n := attempts(t, s.Directory); n != 1 {
		t.Errorf("%d jobs", n)
	}
	if r := complete(t, s); len(r.Cells) != 3 {
		t.Error(r)
	}
}

// TestFarmStop ends a job, and goes on.
func TestFarmStop(t *testing.T) {
	open := gate(t)
	s := onFarm(t, "held")
	if err := Stop(t.Context(), s.Directory); err == nil || !strings.Contains(err.Error(), "no farm computes anything in") {
		t.Errorf("nothing to stop: %v", err)
	}
	stopped := false
	s.Progress = func(done float64, _ string) error {
		if done == 2./3 && !stopped {
			stopped = true
			return Stop(t.Context(), s.Directory)
		}
		return nil
	}
	if _, err := s.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "the study was stopped, with 2 of 3 cells finished") {
		t.Fatal(err)
	}
	s.Progress = func(done float64, _ string) error {
		if done == 2./3 && stopped {
			stopped = false
			go open()
		}
		return nil
	}
	complete(t, s)
	if n := attempts(t, s.Directory); n != 2 {
		t.Errorf("%d jobs", n)
	}
	for key, n := range lines(t, s.Directory) {
		if n != 1 {
			t.Errorf("cell %s was computed %d times", key, n)
		}
	}
}

// holding is a farm on which a part of each job waits until the job is cancelled.
type holding struct {
	farm.Local
	cancelled map[string]bool
}

func (h holding) State(ctx context.Context, id string) (farm.State, error) {
	s, err := h.Local.State(ctx, id)
	if !h.cancelled[id] {
		s.Waiting, s.Over = s.Waiting+1, false
	}
	return s, err
}

func (h holding) Cancel(ctx context.Context, ids ...string) error {
	for _, id := range ids {
		h.cancelled[id] = true
	}
	return h.Local.Cancel(ctx, ids...)
}

// TestFarmLeavesNothing has parts wait whose cells are finished.
func TestFarmLeavesNothing(t *testing.T) {
	s := onFarm(t, "all kinds")
	h := holding{farm.Local{Processes: 2}, make(map[string]bool)}
	s.Farm = h
	complete(t, s)
	if len(h.cancelled) != 2 { // what others wait for, and the rest
		t.Errorf("%d jobs of a finished study were cancelled, want 2", len(h.cancelled))
	}
}

// TestAssignRefuses are studies that no part could compute; kernel has the test of those that it
// can.
func TestAssignRefuses(t *testing.T) {
	s := plainStudy()
	for _, test := range []struct {
		change func()
		most   int
		want   string
	}{
		{func() {}, 0, "experiment: a study in parts needs a Directory"},
		{func() { s.Directory = t.TempDir() }, -1, "experiment: -1 parts"},
		{func() {}, 0, "experiment: method"}, // Centroids is the tests' own
	} {
		test.change()
		if _, _, err := s.Assign(t.Context(), test.most); err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}

// TestFarmKilled has a cell that kills its process.
func TestFarmKilled(t *testing.T) {
	s := onFarm(t, "deadly")
	t.Setenv(farm.MemoryVariable, "512")
	r := complete(t, s)
	failed := 0
	for _, c := range r.Cells {
		switch {
		case c.Method != "deadly" && c.Error != "":
			t.Errorf("%s: %s", c.Method, c.Error)
		case c.Method == "deadly":
			failed++
			if !strings.HasPrefix(c.Error, "the process that computed it was killed 3 times, the last time on machine ") || !strings.Contains(c.Error, "MiB of memory: if that was too little, give parts more") {
				t.Errorf("%q", c.Error)
			}
		}
	}
	if n := attempts(t, s.Directory); failed != 3 || n < 3 || n > 4 {
		t.Errorf("%d cells failed, %d jobs", failed, n)
	}
	for key, n := range lines(t, s.Directory) {
		if n != 1 {
			t.Errorf("cell %s was computed %d times", key, n)
		}
	}
}

// TestFarmRetry computes cells again that failed, once.
func TestFarmRetry(t *testing.T) {
	s := onFarm(t, "failing")
	complete(t, s)
	for want := 1; want <= 2; want++ {
		r := complete(t, s)
		if n := attempts(t, s.Directory); n != want || r.Cells[len(r.Cells)-1].Error != "no convergence" {
			t.Errorf("%d jobs, want %d; %v", n, want, r)
		}
		s.Retry = want == 1
	}
	s.Retry = false
	if complete(t, s); attempts(t, s.Directory) != 2 {
		t.Error("what failed was computed again, and nobody asked for it")
	}
}

// TestFarmFaults are the sentences for what no cell can be blamed for.
func TestFarmFaults(t *testing.T) {
	t.Run("other data", func(t *testing.T) {
		s := onFarm(t, "other data")
		_, err := s.Run(t.Context())
		if want := fmt.Sprintf("the data set \"one\" of machine %s differs from that of the machine that submitted the study", farm.Machine()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		if sub, err := readSubmission(s.Directory); err != nil || !sub.Stopped {
			t.Errorf("%+v, %v", sub, err)
		}
		t.Setenv(partOfTest, "all kinds")
		complete(t, s)
	})
	t.Run("no directory", func(t *testing.T) {
		s := onFarm(t, "failing")
		s.Directory = ""
		if _, err := s.Run(t.Context()); err == nil || err.Error() != "experiment: a study on a farm needs a Directory that all its machines can access" {
			t.Error(err)
		}
	})
	t.Run("notebook", func(t *testing.T) {
		s := onFarm(t, "all kinds")
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		t.Setenv("HIERML_AGAIN", "") // restored at the end
		if err := process.SetAgain(self); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "hierml notebook export FILE.ipynb") {
			t.Error(err)
		}
		s.Data, s.Methods, s.Baseline = s.Data[1:], []Method{{Estimator: svm.Flat{}}}, ""
		if got, err := s.command(); err != nil || !slices.Equal(got, []string{self, "study", "part"}) {
			t.Errorf("of what JSON can have: %q, %v", got, err)
		}
	})
	for _, test := range []struct {
		name, log, want string
		fake            *silent
	}{
		{"not shared", "", "a part failed on machine far and left nothing in ", &silent{state: farm.State{Over: true, Failed: []farm.Failure{{Part: 0, Machine: "far", Reason: farm.Failed}}}}},
		{"no program", "exec: /bin/none: not found", "a part failed on machine far before it began: exec: /bin/none: not found", &silent{state: farm.State{Over: true, Failed: []farm.Failure{{Part: 0, Machine: "far", Reason: farm.Failed}}}}},
		{"refused", "", "sbatch says: no", &silent{refusal: errors.New("sbatch says: no")}},
		{"lost", "word\nlast word\n", "4 attempts ended with 0 of 9 cells finished in DIRECTORY; part 0, on machine far, printed last: last word", &silent{state: farm.State{Over: true, Failed: []farm.Failure{{Part: 0, Machine: "far", Reason: "NODE_FAIL"}}}}},
		{"limit", "", "no arrays", &silent{limit: errors.New("no arrays")}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := onFarm(t, "failing")
			test.fake.log = test.log
			s.Farm = test.fake
			_, err := s.Run(t.Context())
			if want := strings.Replace(test.want, "DIRECTORY", s.Directory, 1); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v, want %q", err, want)
			}
			s.Farm = farm.Local{Processes: 2} // and then it goes on
			complete(t, s)
		})
	}
}

// silent is a farm that has nothing computed.
type silent struct {
	state          farm.State
	refusal, limit error
	log            string
}

func (f *silent) Submit(_ context.Context, j farm.Job) (string, error) {
	if f.log != "" {
		if err := os.WriteFile(filepath.Join(j.Log, j.Name+"_0.txt"), []byte(f.log), 0o600); err != nil {
			return "", err
		}
	}
	return "7", f.refusal
}
func (f *silent) State(context.Context, string) (farm.State, error) { return f.state, nil }
func (f *silent) Cancel(context.Context, ...string) error           { return nil }
func (f *silent) MaxParts(context.Context) (int, error)             { return 5, f.limit }

// TestParts computes parts as processes do that were taken for dead, or that nobody knows of.
func TestParts(t *testing.T) {
	s := plainStudy()
	s.Directory = t.TempDir()
	c, err := s.checked()
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(s.Directory, farmed.Jobs), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := p.assign("0001-1", [][]*job{p.cells[:4], p.cells[4:]}); err != nil {
		t.Fatal(err)
	}
	part := func(n int) *role { return &role{s.Directory, "0001-1", n} }
	fits.Store(0)
	own := *c
	if err := own.part(t.Context(), part(0)); err != nil || fits.Load() != 4 {
		t.Fatalf("%v, %d trainings", err, fits.Load())
	}
	// The file was cut short by the loss of its machine, and the part is run again.
	name := filepath.Join(s.Directory, partFolder("0001-1", 0), "1.jsonl")
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(name, info.Size()-20); err != nil {
		t.Fatal(err)
	}
	own = *c
	if err := own.part(t.Context(), part(0)); err != nil || fits.Load() != 5 {
		t.Errorf("again: %v, %d trainings", err, fits.Load())
	}
	// Another process begins the part while this one is at work, on its first cell.
	own = *c
	own.Workers = 1
	own.Methods = slices.Clone(c.Methods)
	kept, next, err := createPartFile(s.Directory, "0001-1", 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.Directory, next), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	a, err := readAssignment(s.Directory, "0001-1")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(own.assigned(t.Context(), part(1), a, kept, next), kept.close()); !errors.Is(err, errReplaced) || fits.Load() != 5 {
		t.Errorf("replaced: %v, %d trainings", err, fits.Load())
	}
	// What is missing was submitted once more.
	if err := p.assign("0002-1", [][]*job{p.cells[4:]}); err != nil {
		t.Fatal(err)
	}
	own = *c
	if err := own.part(t.Context(), part(1)); err != nil || fits.Load() != 5 {
		t.Errorf("of an earlier job: %v, %d trainings", err, fits.Load())
	}
	own = *c
	own.Seed++
	if err := own.part(t.Context(), &role{s.Directory, "0002-1", 0}); err == nil || !strings.Contains(err.Error(), "the program or its data differ there") {
		t.Errorf("of another study: %v", err)
	}
	if err := own.part(t.Context(), &role{s.Directory, "0003-1", 0}); err == nil || !strings.Contains(err.Error(), "cannot read the directory "+s.Directory) {
		t.Errorf("of no job: %v", err)
	}
}

// TestShares looks at the parts that cells come to.
func TestShares(t *testing.T) {
	var cells []*job
	for repeat := 1; repeat <= 10; repeat++ {
		for method := range 6 {
			cells = append(cells, &job{place: place{repeat: repeat}, method: method})
		}
	}
	for _, test := range []struct {
		seconds float64 // of each cell, 0 for unknown
		most    int
		alone   int // cells
		want    []int
	}{
		{0.01, 100, 0, []int{60}},
		{1, 100, 0, []int{30, 30}},
		{10, 100, 0, []int{3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3}},
		{10, 10, 0, []int{6, 6, 6, 6, 6, 6, 6, 6, 6, 6}},
		{1000, 3, 0, []int{24, 18, 18}},
		{1, 100, 2, []int{58, 1, 1}},
	} {
		timing := newTiming()
		for _, j := range cells {
			timing.finished(j, &Cell{Seconds: test.seconds})
		}
		parts := timing.share(cells, test.most, func(j *job) bool { return slices.Index(cells, j) < test.alone })
		var sizes []int
		seen := make(map[*job]int)
		for _, p := range parts {
			sizes = append(sizes, len(p))
			for _, j := range p {
				seen[j]++
			}
		}
		if !slices.Equal(sizes, test.want) || len(seen) != len(cells) {
			t.Errorf("%+v: parts of %v of %d cells", test, sizes, len(seen))
		}
	}
	empty := newTiming()
	if parts := empty.share(cells, 100, func(*job) bool { return false }); len(parts) < 20 || len(parts) > blindParts {
		t.Errorf("%d parts where nothing is known", len(parts))
	}
	// Long ones first.
	timing := newTiming()
	for _, j := range cells {
		timing.finished(j, &Cell{Seconds: float64(100 * (j.method + 1))})
	}
	parts := timing.share(cells, 100, func(*job) bool { return false })
	if first, last := parts[0][0], parts[len(parts)-1][0]; first.method != 5 || last.method > 2 {
		t.Errorf("%d parts, the first of method %d, the last of method %d", len(parts), first.method, last.method)
	}
}

// BenchmarkFarm measures what a cell of a study takes that other processes compute, two at a time,
// with what their starts take, beside one of this process, on a disk as well.
func BenchmarkFarm(b *testing.B) {
	for _, farmed := range []bool{false, true} {
		b.Run(map[bool]string{false: "here", true: "farm"}[farmed], func(b *testing.B) {
			b.Setenv(repeatsOfTest, strconv.Itoa(b.N))
			s := onFarm(b, "many")
			if !farmed {
				s.Farm = nil
			}
			s.Progress = func(float64, string) error { return nil }
			complete(b, s)
		})
	}
}
