package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestData runs the commands without a network: the only proxy is one that does not answer.
func TestData(t *testing.T) {
	cache, data := t.TempDir(), t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HIERML_DATA", data)
	for _, v := range []string{"HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy"} {
		t.Setenv(v, "http://127.0.0.1:1")
	}
	for _, v := range []string{"NO_PROXY", "no_proxy"} {
		t.Setenv(v, "")
	}
	if err := os.WriteFile(filepath.Join(data, "rcv1.hier.tsv"), []byte("a\tb\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args           string
		status         int
		stdout, stderr []string // parts of them
	}{
		{"data", 0, []string{"COMMANDS"}, nil},
		{"data list", 0, []string{"name ", "\nrcv1 ", "\n20news-bydate "}, nil},
		{"data list rcv1", 0, []string{"rcv1: RCV1-v2", "licence ", "rcv1.train.svm.gz, 5.6 MB, SHA-256 8967"}, nil},
		{"data list rcv9", 1, nil, []string{`hierml: no data set "rcv9" in the catalogue; ` + "`hierml data list` lists them\n"}},
		{"data get", 2, nil, []string{"say which NAME"}},
		{"data get rcv9", 1, nil, []string{`no data set "rcv9"`}},
		{"data get rcv1", 1, nil, []string{"rcv1 is not here, and is not downloaded", filepath.Join(cache, "hierml", "data", "rcv1"), "rcv1.train.svm.gz"}},
		{"data get 20news-bydate", 1, nil, []string{"20news-bydate cannot be downloaded", "connection refused", "put into " + filepath.Join(cache, "hierml", "data", "20news-bydate"), "20news-bydate.tar.gz, SHA-256 8f1b"}},
		{"data verify", 1, []string{"rcv1.hier.tsv: WRONG: the SHA-256 is "}, []string{"files of rcv1 are wrong or missing"}},
		{"data verify wos", 1, []string{"WebOfScience.zip: not here"}, []string{"wrong or missing"}},
		{"data verify rcv9", 1, nil, []string{`no data set "rcv9"`}},
	} {
		t.Run(test.args, func(t *testing.T) {
			got := hierml(t, data, "", strings.Fields(test.args)...)
			if got.status != test.status {
				t.Errorf("status %d, want %d", got.status, test.status)
			}
			for _, part := range test.stdout {
				if !strings.Contains(got.stdout, part) {
					t.Errorf("it prints %q without %q", got.stdout, part)
				}
			}
			for _, part := range test.stderr {
				if !strings.Contains(got.stderr, part) {
					t.Errorf("it says %q without %q", got.stderr, part)
				}
			}
		})
	}
}
