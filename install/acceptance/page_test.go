package acceptance

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/hierml/notebook/install/internal/browser"
)

// page is a tab of a headless browser.
type page struct {
	ctx context.Context

	mu     sync.Mutex
	errors []string
}

// width is that of the window, in pixels.
const width = 1400

// openPage starts a browser that ends with the test.
func openPage(t *testing.T) *page {
	t.Helper()
	path, err := browser.Find()
	need(t, err)
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path),
		chromedp.UserDataDir(t.TempDir()),
		chromedp.WindowSize(width, 1000),
		chromedp.DisableGPU,
		// No traffic but with JupyterLab.
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true),
	)
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // Chromium refuses to sandbox for root
	}
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	p := new(page)
	p.ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(func() {
		if err := chromedp.Cancel(p.ctx); err != nil {
			t.Errorf("the browser does not end: %v", err)
		}
		cancel()
	})
	if err := chromedp.Do(p.ctx); err != nil {
		t.Fatalf("%s does not start: %v", path, err)
	}
	messages := chromedp.Console(p.ctx)
	go func() {
		for message, err := range messages {
			if err != nil {
				return // the browser ends with the test
			}
			p.collect(message)
		}
	}()
	return p
}

// collect keeps what the browser's console shows as an error.
func (p *page) collect(m chromedp.ConsoleMessage) {
	if m.Type != "error" && m.Type != chromedp.ConsoleException {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.errors = append(p.errors, fmt.Sprintf("%s (%s)", m.Text, m.URL))
}

// consoleErrors returns what the console has shown so far.
func (p *page) consoleErrors() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.errors)
}

// run runs an action, and ends the test if it fails or takes longer than limit.
func run[T any](t *testing.T, p *page, what string, limit time.Duration, action chromedp.Action[T]) T {
	t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, limit)
	defer cancel()
	result, err := chromedp.Run(ctx, action)
	if err != nil {
		t.Fatalf("%s: %v (see %s); console: %q", what, err, p.screenshot(t, "failed"), p.consoleErrors())
	}
	return result
}

// eval returns the value of a JavaScript expression, of a promise too.
func eval[T any](t *testing.T, p *page, expression string, limit time.Duration) T {
	t.Helper()
	return run(t, p, expression, limit, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// wait waits until a JavaScript expression is true.
func (p *page) wait(t *testing.T, condition string, limit time.Duration) {
	t.Helper()
	run(t, p, condition, limit, chromedp.Poll[chromedp.Void](condition,
		chromedp.WithPollingTimeout(limit), chromedp.WithPollingInterval(100*time.Millisecond)))
}

// count returns the number of elements that a CSS selector finds.
func (p *page) count(t *testing.T, selector string) int {
	t.Helper()
	return eval[int](t, p, fmt.Sprintf("document.querySelectorAll(%q).length", selector), 10*time.Second)
}

// grow makes the window as high as the whole notebook is, up to what a browser
// draws in one piece.
func (p *page) grow(t *testing.T) {
	t.Helper()
	const panel = `document.querySelector(".jp-WindowedPanel-outer")`
	height := eval[int64](t, p, panel+".scrollHeight", 10*time.Second)
	run(t, p, "resizing", 10*time.Second, chromedp.Steps(
		chromedp.EmulateViewport(width, min(height+150, 16000)),
		chromedp.Sleep(time.Second), // for the layout, of whose end nothing tells
		chromedp.Evaluate[chromedp.Void](panel+".scrollTop = 0"),
		chromedp.Sleep(time.Second),
	))
}

// screenshot keeps a picture of the window and returns its path.
func (p *page) screenshot(t *testing.T, name string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, 30*time.Second)
	defer cancel()
	picture, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		t.Errorf("no screenshot: %v", err)
		return ""
	}
	path := filepath.Join(artifacts(t), name+".png")
	if err := os.WriteFile(path, picture, 0o644); err != nil {
		t.Error(err)
	}
	return path
}

// artifacts returns the folder for what people may want to look at: that of
// HIERML_ARTIFACTS, or a new one that outlives the test.
func artifacts(t *testing.T) string {
	t.Helper()
	dir, err := artifactFolder()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

var artifactFolder = sync.OnceValues(func() (string, error) {
	if dir := os.Getenv("HIERML_ARTIFACTS"); dir != "" {
		return dir, os.MkdirAll(dir, 0o755)
	}
	return os.MkdirTemp("", "hierml-artifacts-")
})
