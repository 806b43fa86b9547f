package download

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// content is a file of n bytes, and its sum.
func content(n int, salt byte) ([]byte, string) {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i) ^ byte(i>>8) ^ salt
	}
	sum := sha256.Sum256(b)
	return b, hex.EncodeToString(sum[:])
}

// server serves one file and can break off, change it, and know no ranges.
type server struct {
	content  []byte
	etag     string
	noRanges bool
	cut      atomic.Int64 // break off after so many bytes, where positive
	status   atomic.Int64 // to answer instead, where positive
	requests atomic.Int64
	ranges   []string // asked for
	mu       sync.Mutex
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.requests.Add(1)
	s.mu.Lock()
	s.ranges = append(s.ranges, r.Header.Get("Range"))
	body, etag := s.content, s.etag
	s.mu.Unlock()
	if code := s.status.Load(); code > 0 {
		http.Error(w, "no", int(code))
		return
	}
	if etag != "" {
		w.Header().Set("Etag", etag)
	}
	if s.noRanges {
		r.Header.Del("Range")
	}
	if n := s.cut.Load(); n > 0 {
		w = &cutting{w, n}
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

// cutting ends a connection after n bytes.
type cutting struct {
	http.ResponseWriter
	n int64
}

func (c *cutting) Write(p []byte) (int, error) {
	if int64(len(p)) > c.n {
		if _, err := c.ResponseWriter.Write(p[:c.n]); err != nil {
			return 0, err
		}
		http.NewResponseController(c.ResponseWriter).Flush()
		panic(http.ErrAbortHandler)
	}
	c.n -= int64(len(p))
	return c.ResponseWriter.Write(p)
}

func start(t *testing.T, s http.Handler) string {
	t.Helper()
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	return h.URL + "/file"
}

// hasty are settings for tests.
func hasty() *Getter { return &Getter{Attempts: 1, Pause: time.Millisecond} }

func wantFile(t *testing.T, path string, want []byte) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes and %v, want %d bytes", len(got), err, len(want))
	}
	for _, rest := range []string{".part", ".part.json"} {
		if _, err := os.Stat(path + rest); err == nil {
			t.Errorf("%s was left", filepath.Base(path+rest))
		}
	}
}

func TestGet(t *testing.T) {
	body, sum := content(300_000, 0)
	path := filepath.Join(t.TempDir(), "file")
	s := &server{content: body, etag: `"a"`}
	url := start(t, s)
	var last Transfer
	g := hasty()
	g.Progress = func(p Transfer) error { last = p; return nil }
	for range 2 { // what is there is not fetched again
		if err := g.Get(t.Context(), File{URL: url, SHA256: sum, Bytes: 300_000}, path); err != nil {
			t.Fatal(err)
		}
	}
	wantFile(t, path, body)
	if s.requests.Load() != 1 {
		t.Errorf("%d requests", s.requests.Load())
	}
	if last.Bytes != 300_000 || last.Total != 300_000 || last.Resumed != 0 || !(last.Rate > 0) {
		t.Errorf("the last report is %+v", last)
	}
}

// A transfer that broke off is gone on with by the next call, or by the same one.
func TestGetResumes(t *testing.T) {
	body, sum := content(300_000, 0)
	other, otherSum := content(300_000, 1)
	for _, test := range []struct {
		name     string
		server   *server
		between  func(*server) // what happens before the second call
		attempts int
		want     []byte
		sum      string
		ranges   []string
		resumed  int64
	}{
		{name: "next call", server: &server{content: body, etag: `"a"`},
			want: body, sum: sum, ranges: []string{"", "bytes=100000-"}, resumed: 100_000},
		{name: "same call", server: &server{content: body, etag: `"a"`}, attempts: 2,
			want: body, sum: sum, ranges: []string{"", "bytes=100000-", "bytes=200000-"}},
		{name: "no ranges", server: &server{content: body, etag: `"a"`, noRanges: true},
			want: body, sum: sum, ranges: []string{"", "bytes=100000-"}},
		{name: "nothing to compare the file by", server: &server{content: body},
			want: body, sum: sum, ranges: []string{"", ""}},
		{name: "a weak tag", server: &server{content: body, etag: `W/"a"`},
			want: body, sum: sum, ranges: []string{"", ""}},
		{name: "another file now", server: &server{content: body, etag: `"a"`},
			between: func(s *server) { s.content, s.etag = other, `"b"` },
			want:    other, sum: otherSum, ranges: []string{"", "bytes=100000-"}},
		{name: "another file under the same tag", server: &server{content: body, etag: `"a"`},
			between: func(s *server) { s.content = other },
			want:    other, sum: otherSum, ranges: []string{"", "bytes=100000-", ""}},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "file")
			url := start(t, test.server)
			test.server.cut.Store(100_000)
			g := hasty()
			var last Transfer
			g.Progress = func(p Transfer) error { last = p; return nil }
			file := File{URL: url, SHA256: test.sum}
			if test.attempts > 0 {
				g.Attempts = test.attempts
			} else {
				err := g.Get(t.Context(), file, path)
				if err == nil || !strings.Contains(err.Error(), "broke off after 100000 bytes") {
					t.Fatalf("got %v", err)
				}
				if _, err := os.Stat(path); err == nil {
					t.Fatal("a part has the name of the whole")
				}
				if test.between != nil {
					test.between(test.server)
				}
				test.server.cut.Store(0)
			}
			if err := g.Get(t.Context(), file, path); err != nil {
				t.Fatal(err)
			}
			wantFile(t, path, test.want)
			if !slices.Equal(test.server.ranges, test.ranges) {
				t.Errorf("asked for %q, want %q", test.server.ranges, test.ranges)
			}
			if last.Resumed != test.resumed {
				t.Errorf("the last report is %+v, want %d bytes resumed", last, test.resumed)
			}
		})
	}
}

func TestGetErrors(t *testing.T) {
	body, sum := content(300_000, 0)
	_, otherSum := content(300_000, 1)
	stopped := errors.New("enough")
	for _, test := range []struct {
		name     string
		serve    func(*server)
		file     File
		progress func(Transfer) error
		words    []string
		requests int64
	}{
		{name: "wrong sum", file: File{SHA256: otherSum}, words: []string{sum, otherSum, "it was not kept"}, requests: 1},
		{name: "wrong size", file: File{SHA256: sum, Bytes: 7}, words: []string{"has 300000 bytes instead of 7"}, requests: 1},
		{name: "not found", serve: func(s *server) { s.status.Store(404) }, file: File{SHA256: sum}, words: []string{"/file answers 404 Not Found"}, requests: 1},
		{name: "overloaded", serve: func(s *server) { s.status.Store(503) }, file: File{SHA256: sum}, words: []string{"answers 503"}, requests: 3},
		{name: "stopped", file: File{SHA256: sum}, progress: func(Transfer) error { return stopped }, words: []string{"enough"}, requests: 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := &server{content: body, etag: `"a"`}
			if test.serve != nil {
				test.serve(s)
			}
			test.file.URL = start(t, s)
			path := filepath.Join(t.TempDir(), "file")
			g := &Getter{Attempts: 3, Pause: time.Millisecond, Progress: test.progress}
			err := g.Get(t.Context(), test.file, path)
			if err == nil {
				t.Fatal("no error")
			}
			for _, w := range test.words {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%q does not say %q", err, w)
				}
			}
			if s.requests.Load() != test.requests {
				t.Errorf("%d requests, want %d", s.requests.Load(), test.requests)
			}
			if _, err := os.Stat(path); err == nil {
				t.Error("there is a file")
			}
			if _, err := os.Stat(path + ".part"); err == nil && test.name == "wrong sum" {
				t.Error("there is a part")
			}
		})
	}
	t.Run("no server", func(t *testing.T) {
		h := httptest.NewServer(nil)
		url := h.URL
		h.Close()
		if err := hasty().Get(t.Context(), File{URL: url, SHA256: sum}, filepath.Join(t.TempDir(), "file")); err == nil || !strings.Contains(err.Error(), "connection refused") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("no room", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.Symlink("/dev/full", path+".part"); err != nil {
			t.Fatal(err)
		}
		s := &server{content: body, etag: `"a"`}
		err := (&Getter{Attempts: 3, Pause: time.Millisecond}).Get(t.Context(), File{URL: start(t, s), SHA256: sum}, path)
		if err == nil || !strings.Contains(err.Error(), "no space left") || s.requests.Load() != 1 {
			t.Errorf("got %v after %d requests", err, s.requests.Load())
		}
	})
}

// A server that says nothing is waited for no longer than asked, or than the context lasts.
func TestGetStalls(t *testing.T) {
	body, sum := content(300_000, 0)
	release := make(chan struct{})
	defer close(release)
	url := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Etag", `"a"`)
		w.Header().Set("Content-Length", fmt.Sprint(len(body)))
		if _, err := w.Write(body[:1000]); err != nil {
			return
		}
		http.NewResponseController(w).Flush()
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	path := filepath.Join(t.TempDir(), "file")
	err := (&Getter{Attempts: 1, Patience: 50 * time.Millisecond}).Get(t.Context(), File{URL: url, SHA256: sum}, path)
	if err == nil || !strings.Contains(err.Error(), "sent nothing for 50ms") {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err = (&Getter{Progress: func(p Transfer) error { cancel(); return nil }}).Get(ctx, File{URL: url, SHA256: sum}, path)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if n, err := size(path + ".part"); err != nil || n != 1000 {
		t.Errorf("%d bytes were kept, %v", n, err)
	}
}

// Of several that want a file one fetches it.
func TestGetAtOnce(t *testing.T) {
	body, sum := content(300_000, 0)
	begun, goOn := make(chan struct{}), make(chan struct{})
	var requests atomic.Int64
	url := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if requests.Add(1) == 1 {
			close(begun)
		}
		<-goOn
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
	}))
	path := filepath.Join(t.TempDir(), "file")
	var waiting atomic.Int64
	var group sync.WaitGroup
	get := func() {
		g := hasty()
		g.Progress = func(p Transfer) error {
			if p.Waiting && waiting.Add(1) == 1 {
				close(goOn)
			}
			return nil
		}
		if err := g.Get(t.Context(), File{URL: url, SHA256: sum}, path); err != nil {
			t.Error(err)
		}
	}
	group.Go(get)
	<-begun
	group.Go(get)
	group.Wait()
	wantFile(t, path, body)
	if requests.Load() != 1 {
		t.Errorf("%d requests", requests.Load())
	}
}

// TestGetBounds has servers that send more than any file of unknown size may have, whether they say
// so or not.
func TestGetBounds(t *testing.T) {
	for name, serve := range map[string]http.HandlerFunc{
		"said": func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Length", "3000000000") },
		"unsaid": func(w http.ResponseWriter, r *http.Request) {
			for piece := make([]byte, 1<<16); r.Context().Err() == nil; {
				if _, err := w.Write(piece); err != nil {
					return
				}
			}
		},
	} {
		path := filepath.Join(t.TempDir(), "file")
		g := hasty()
		if name == "unsaid" {
			g.Most = 1 << 20
		}
		err := g.Get(t.Context(), File{URL: start(t, serve), SHA256: "x"}, path)
		if err == nil || !strings.Contains(err.Error(), "of unknown size") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(path + ".part"); err == nil {
			t.Errorf("%s: there is a part", name)
		}
	}
}
