package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/collection"
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
	if err := os.WriteFile(filepath.Join(data, "20news-18828.tar.gz"), []byte("no archive\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args           string
		status         int
		stdout, stderr []string // parts of them
	}{
		{"data", 0, []string{"COMMANDS"}, nil},
		{"data list", 0, []string{"name ", "\nlyrl2004 ", "\n20news-bydate "}, nil},
		{"data list lyrl2004", 0, []string{"lyrl2004: RCV1-v2", "licence ", "rcv1v2.topics.qrels.gz, SHA-256 2a98"}, nil},
		{"data list rcv9", 1, nil, []string{`hierml: no data set "rcv9" in the catalogue; ` + "`hierml data list` lists them\n"}},
		{"data get", 2, nil, []string{"missing argument NAME"}},
		{"data get rcv9", 1, nil, []string{`no data set "rcv9"`}},
		{"data get lshtc4", 1, nil, []string{"lshtc4 is not on this machine, and hierml does not download it", filepath.Join(cache, "hierml", "data", "lshtc4"), "train.zip"}},
		{"data get 20news-bydate", 1, nil, []string{"20news-bydate cannot be downloaded", "connection refused", "put into " + filepath.Join(cache, "hierml", "data", "20news-bydate"), "20news-bydate.tar.gz, SHA-256 8f1b"}},
		{"data verify", 1, []string{"20news-18828.tar.gz: WRONG: the SHA-256 is "}, []string{"files of 20news-18828 are wrong or missing"}},
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

// TestDataSetNames completes the names of the catalogue, and of what lies in the folders of data
// sets.
func TestDataSetNames(t *testing.T) {
	folder := t.TempDir()
	t.Setenv(collection.Environment, folder)
	if err := os.MkdirAll(filepath.Join(folder, "own"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"mine.hier.tsv", filepath.Join("own", "own.hier.tsv"), "other.tsv"} {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	names := dataSets()
	for _, want := range []string{"mine", "own", "20news-bydate"} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is not among %q", want, names)
		}
	}
	if slices.Contains(names, "other") {
		t.Errorf("a file that is no data set is among %q", names)
	}
}
