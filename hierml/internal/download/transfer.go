package download

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// transfer fetches one file.
type transfer struct {
	*Getter
	file       File
	path       string
	part, from string // what has come, and what it was of
	begun      time.Time
	resumed    int64 // bytes that were here before
	joined     bool  // the part is of several answers
	said       time.Time
}

// origin is what a part is of: a server goes on with a file only where it is still the same.
type origin struct {
	URL       string
	Validator string // a strong entity tag, or the date of the last change
}

// fetch fetches the part, wholly anew or what is missing of it.
func (t *transfer) fetch(ctx context.Context, anew bool) error {
	if anew {
		if err := t.discard(); err != nil {
			return err
		}
	}
	before, err := size(t.part)
	if err != nil {
		return err
	}
	t.begun, t.resumed, t.joined = time.Now(), before, false
	attempts, pause := cmp.Or(t.Attempts, 3), cmp.Or(t.Pause, time.Second/2)
	for left, have, most := attempts, before, before; ; {
		err := t.attempt(ctx, have)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		var status *StatusError
		var lasting *lastingError
		if errors.As(err, &lasting) || errors.As(err, &status) && status.lasting() {
			return err
		}
		now, failed := size(t.part)
		if failed != nil {
			return failed
		}
		have = now
		if have > most {
			left, pause, most = attempts, cmp.Or(t.Pause, time.Second/2), have
		}
		if left--; left <= 0 {
			return err
		}
		if err := sleep(ctx, pause); err != nil {
			return err
		}
		pause *= 2
	}
}

// lastingError is one that a further attempt does not help.
type lastingError struct{ error }

func (e *lastingError) Unwrap() error { return e.error }

// attempt makes one request for what is missing and adds what comes to the part, of which have
// bytes are there.
func (t *transfer) attempt(ctx context.Context, have int64) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stalled := fmt.Errorf("%s sent nothing for %v", t.file.URL, t.patience())
	watch := time.AfterFunc(t.patience(), func() { cancel(stalled) })
	defer watch.Stop()

	request, err := http.NewRequestWithContext(ctx, http.MethodGet, t.file.URL, nil)
	if err != nil {
		return &lastingError{err}
	}
	request.Header.Set("User-Agent", "hierml")
	request.Header.Set("Accept-Encoding", "identity") // the sum is that of the file as it is
	if validator := t.validator(); have > 0 && validator != "" {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
		request.Header.Set("If-Range", validator)
	}
	response, err := cmp.Or(t.Client, http.DefaultClient).Do(request)
	if err != nil {
		return cause(ctx, err)
	}
	defer response.Body.Close()

	at, total, err := t.place(response, have)
	t.joined = at > 0
	if err != nil || total > 0 && at == total {
		return err
	}
	if t.file.Bytes > 0 && total > 0 && total != t.file.Bytes {
		return &lastingError{fmt.Errorf("%s has %d bytes instead of %d: it is another file than the one asked for", t.file.URL, total, t.file.Bytes)}
	}
	if err := t.bounded(total); err != nil {
		return err
	}
	if at == 0 {
		if err := t.remember(response); err != nil {
			return &lastingError{err}
		}
	}
	if err := t.copy(ctx, response.Body, at, cmp.Or(total, t.file.Bytes), watch); err != nil {
		return cause(ctx, err)
	}
	return nil
}

// bounded returns an error if a file whose size is not known has more bytes than any may have: its
// sum is known only when all of it is on the disk.
func (t *transfer) bounded(bytes int64) error {
	if most := cmp.Or(t.Most, DefaultMost); t.file.Bytes == 0 && bytes > most {
		return &lastingError{errors.Join(fmt.Errorf("%s has more than %d bytes, the limit for a file of unknown size", t.file.URL, most), t.discard())}
	}
	return nil
}

// cause is the error, or why its context ended.
func cause(ctx context.Context, err error) error {
	if ended := context.Cause(ctx); ended != nil {
		return ended
	}
	return err
}

func (t *transfer) patience() time.Duration { return cmp.Or(t.Patience, time.Minute) }

// place returns the byte of the file at which the answer begins, and the size of the file, 0 if
// unknown.
func (t *transfer) place(response *http.Response, have int64) (at, total int64, err error) {
	switch response.StatusCode {
	case http.StatusOK:
		return 0, max(response.ContentLength, 0), nil
	case http.StatusPartialContent:
		unit, rest, _ := strings.Cut(response.Header.Get("Content-Range"), " ")
		span, all, _ := strings.Cut(rest, "/")
		first, _, _ := strings.Cut(span, "-")
		begin, err := strconv.ParseInt(first, 10, 64)
		if err != nil || unit != "bytes" || begin != have {
			return 0, 0, errors.Join(fmt.Errorf("%s was asked for the bytes after byte %d, but sent %q", t.file.URL, have, response.Header.Get("Content-Range")), t.discard())
		}
		if total, err = strconv.ParseInt(all, 10, 64); err != nil {
			total = 0 // "*": the server does not know
		}
		return begin, total, nil
	case http.StatusRequestedRangeNotSatisfiable:
		// Nothing follows: the part is whole, or of another file.
		if all, ok := strings.CutPrefix(response.Header.Get("Content-Range"), "bytes */"); ok && all == fmt.Sprint(have) {
			return have, have, nil
		}
		return 0, 0, errors.Join(fmt.Errorf("%s has no byte %d, where the download should continue", t.file.URL, have), t.discard())
	}
	return 0, 0, &StatusError{URL: t.file.URL, Status: response.Status, code: response.StatusCode}
}

// copy adds what comes to the part from byte at on.
func (t *transfer) copy(ctx context.Context, from io.Reader, at, total int64, watch *time.Timer) (err error) {
	f, err := os.OpenFile(t.part, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return &lastingError{err}
	}
	defer func() {
		if closed := f.Close(); closed != nil {
			err = errors.Join(err, &lastingError{closed})
		}
	}()
	if at == 0 {
		t.resumed = 0
		if err := truncate(f); err != nil {
			return &lastingError{err}
		}
	} else if _, err := f.Seek(at, io.SeekStart); err != nil {
		return &lastingError{err}
	}
	buffer := make([]byte, 1<<16)
	for {
		n, readErr := from.Read(buffer)
		if n > 0 {
			watch.Reset(t.patience())
			if total > 0 && at+int64(n) > total {
				return &lastingError{errors.Join(fmt.Errorf("%s sends more than the %d bytes of the file", t.file.URL, total), t.discard())}
			}
			if err := t.bounded(at + int64(n)); err != nil {
				return err
			}
			if _, err := f.Write(buffer[:n]); err != nil {
				return &lastingError{fmt.Errorf("the download of %s cannot be stored: %w", t.file.URL, err)}
			}
			at += int64(n)
		}
		ended := errors.Is(readErr, io.EOF)
		if err := t.report(at, total, ended); err != nil {
			return &lastingError{err}
		}
		if ended {
			break
		}
		if readErr != nil {
			return fmt.Errorf("%s broke off after %d bytes: %w", t.file.URL, at, readErr)
		}
	}
	if err := f.Sync(); err != nil {
		return &lastingError{err}
	}
	if at < total {
		return fmt.Errorf("%s broke off after %d of %d bytes", t.file.URL, at, total)
	}
	return nil
}

// truncate empties a file; devices have no length.
func truncate(f *os.File) error {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return err
	}
	return f.Truncate(0)
}

// report calls Progress where it is time to.
func (t *transfer) report(at, total int64, ended bool) error {
	now := time.Now()
	if t.Progress == nil || !ended && now.Sub(t.said) < 100*time.Millisecond {
		return nil
	}
	t.said = now
	report := Transfer{Bytes: at, Total: total, Resumed: t.resumed}
	if seconds := now.Sub(t.begun).Seconds(); seconds > 0 {
		report.Rate = float64(at-t.resumed) / seconds
	}
	return t.Progress(report)
}

// remember writes down what the part that begins is of.
func (t *transfer) remember(response *http.Response) error {
	o := origin{URL: t.file.URL, Validator: response.Header.Get("Etag")}
	if o.Validator == "" || strings.HasPrefix(o.Validator, "W/") { // If-Range takes strong ones alone
		o.Validator = response.Header.Get("Last-Modified")
	}
	content, err := json.Marshal(o)
	if err != nil {
		return err
	}
	return os.WriteFile(t.from, content, 0o600)
}

// validator is that of the part, empty if it cannot be gone on with.
func (t *transfer) validator() string {
	content, err := os.ReadFile(t.from)
	var o origin
	if err != nil || json.Unmarshal(content, &o) != nil || o.URL != t.file.URL {
		return ""
	}
	return o.Validator
}

// size returns the size of a file, 0 if there is none.
func size(path string) (int64, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
