package gotest

import (
	"slices"
	"strings"
	"testing"
)

const printed = `=== RUN   TestSmall
--- PASS: TestSmall (0.00s)
=== RUN   TestParts
=== RUN   TestParts/one
=== PAUSE TestParts/one
=== RUN   TestParts/two
    a_test.go:9: needs data: set DATA
        to a folder
=== CONT  TestParts/one
    a_test.go:7: a word
--- PASS: TestParts (0.10s)
    --- PASS: TestParts/one (0.10s)
    --- SKIP: TestParts/two (0.00s)
PASS
ok  	example.org/a	0.123s
?   	example.org/none	[no test files]
=== RUN   TestWrong
    b_test.go:3: 1, want 2
--- FAIL: TestWrong (0.00s)
=== RUN   TestOther
    b_test.go:5: needs data: set DATA to a folder
--- SKIP: TestOther (0.00s)
FAIL
FAIL	example.org/b	0.004s
# example.org/c
c_test.go:1:1: expected 'package'
FAIL	example.org/c [setup failed]
FAIL
`

func TestRead(t *testing.T) {
	for _, test := range []struct {
		name    string
		show    Verbosity
		printed string
		want    []string
		counts  string
		reasons []string
	}{
		{"packages", Packages, printed, []string{
			"ok  \texample.org/a\t0.123s\n",
			"    b_test.go:3: 1, want 2\n--- FAIL: TestWrong (0.00s)\n    b_test.go:5: needs data: set DATA to a folder\n--- SKIP: TestOther (0.00s)\nFAIL\texample.org/b\t0.004s\n",
			"# example.org/c\nc_test.go:1:1: expected 'package'\nFAIL\texample.org/c [setup failed]\n",
		}, "2 passed, 2 failed, 2 skipped", []string{"   2  needs data: set DATA to a folder (TestParts/two, …)"}},
		{"logs of a program of tests", Logs, "=== RUN   TestA\n    a_test.go:1: 3 ms\n--- PASS: TestA (1.00s)\nPASS\n", []string{
			"    a_test.go:1: 3 ms\n--- PASS: TestA (1.00s)\n",
		}, "1 passed, 0 failed, 0 skipped", nil},
		{"a program that ends early", Packages, "=== RUN   TestA\npanic: no\nexit status 2\nFAIL\texample.org/d\t0.1s\n", []string{
			"panic: no\nexit status 2\nFAIL\texample.org/d\t0.1s\n",
		}, "0 passed, 1 failed, 0 skipped", nil},
		{"a test that fails beside its parts", Packages, "=== RUN   TestA\n=== RUN   TestA/x\n    a_test.go:1: left\n--- FAIL: TestA (0.00s)\n    --- PASS: TestA/x (0.00s)\nFAIL\nFAIL\texample.org/d\t0.1s\n", []string{
			"    a_test.go:1: left\n--- FAIL: TestA (0.00s)\n    --- PASS: TestA/x (0.00s)\nFAIL\texample.org/d\t0.1s\n",
		}, "1 passed, 1 failed, 0 skipped", nil},
		{"no reason", Packages, "=== RUN   TestA\n--- SKIP: TestA (0.00s)\nPASS\nok  \texample.org/d\t0.1s\n", []string{"ok  \texample.org/d\t0.1s\n"},
			"0 passed, 0 failed, 1 skipped", []string{"   1  no reason was given (TestA)"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var pieces []string
			got, err := Read(strings.NewReader(test.printed), test.show, func(piece string) { pieces = append(pieces, piece) })
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(pieces, test.want) {
				t.Errorf("passed on\n%q\nwant\n%q", pieces, test.want)
			}
			if got.String() != test.counts {
				t.Errorf("counted %s, want %s", got, test.counts)
			}
			if !slices.Equal(got.Reasons(), test.reasons) {
				t.Errorf("reasons %q, want %q", got.Reasons(), test.reasons)
			}
		})
	}
}

func TestComplaints(t *testing.T) {
	for _, test := range []struct{ printed, want string }{
		{"=== RUN   TestA\n    a_test.go:1: wrong\n=== RUN   TestB\n    a_test.go:2: fine\n--- FAIL: TestA (0.00s)\n--- PASS: TestB (0.00s)\nFAIL\nFAIL\texample.org/d\t0.1s\nFAIL\n",
			"TestA|    a_test.go:1: wrong"},
		{"=== RUN   FuzzA\nfuzz: elapsed: 0s\n--- FAIL: FuzzA (1.00s)\n    --- FAIL: FuzzA (0.00s)\n        a_test.go:3: no\n    \nFAIL\nexit status 1\nFAIL\texample.org/d\t0.1s\n",
			"FuzzA|    fuzz: elapsed: 0s|    a_test.go:3: no|    |    exit status 1"},
		{"# example.org/c\nc_test.go:1:1: expected 'package'\nFAIL\texample.org/c [setup failed]\nFAIL\n",
			"FAIL example.org/c [setup failed]|    # example.org/c|    c_test.go:1:1: expected 'package'"},
		{"=== RUN   TestA\n" + strings.Repeat("line\n", most) + "--- FAIL: TestA (0.00s)\nFAIL\nFAIL\texample.org/d\t0.1s\n",
			"TestA" + strings.Repeat("|    line", most)},
		{"=== RUN   TestA\n--- PASS: TestA (0.00s)\n=== RUN   TestB\npanic: test timed out after 1s\n\trunning tests:\n\t\tTestB (1s)\n\ngoroutine 1 [running]:\n" + strings.Repeat("f()\n\t/go/src/f.go:1 +0x1\n", most) + "FAIL\texample.org/d\t1.1s\nFAIL\n",
			"FAIL example.org/d 1.1s|    panic: test timed out after 1s|    running tests:|    TestB (1s)|    |    goroutine 1 [running]:" + strings.Repeat("|    f()|    /go/src/f.go:1 +0x1", 10)},
		{printed[:strings.Index(printed, "=== RUN   TestWrong")], ""},
	} {
		got, err := Read(strings.NewReader(test.printed), Packages, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		if complaints := strings.Join(got.Complaints(), "|"); complaints != test.want {
			t.Errorf("%q: complaints %q, want %q", test.printed, complaints, test.want)
		}
	}
}

func TestAdd(t *testing.T) {
	s := Summary{Passed: 1, Skipped: []Skip{{"TestA", "why"}}}
	s.Add(Summary{Passed: 2, Failed: 3, Skipped: []Skip{{"TestB", "why"}}})
	if s.Passed != 3 || s.Failed != 3 || len(s.Skipped) != 2 {
		t.Errorf("got %+v", s)
	}
}
