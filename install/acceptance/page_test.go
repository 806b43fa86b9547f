package acceptance

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/hierml/notebook/install/internal/browser"
	"github.com/hierml/notebook/internal/testrun"
)

// page is a tab of the headless browser, with cookies of its own.
type page struct {
	ctx   context.Context
	width int64 // of the window, in pixels

	mu     sync.Mutex
	errors []string
}

// width and height are those of a window, in pixels.
const width, height = 1400, 1000

// openPage opens a tab that closes with the test. Of a failed test, a picture of the tab is kept.
func openPage(t *testing.T) *page {
	t.Helper()
	path, err := browser.Find()
	testrun.Need(t, "browser", err)
	shared, err := openBrowser(path)
	if err != nil {
		t.Fatalf("%s does not start: %v", path, err)
	}
	p := &page{width: width}
	var cancel context.CancelFunc
	p.ctx, cancel = chromedp.NewContext(shared, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	if err := chromedp.Do(p.ctx, chromedp.EmulateViewport(width, height)); err != nil {
		t.Fatalf("the browser opens no tab: %v", err)
	}
	messages := chromedp.Console(p.ctx)
	go func() {
		for message, err := range messages {
			if err != nil {
				return // the tab closes with the test
			}
			p.collect(message)
		}
	}()
	t.Cleanup(func() {
		if t.Failed() {
			p.screenshot(t, strings.ReplaceAll(t.Name(), "/", "-")+"-failed")
		}
	})
	return p
}

// openBrowser starts the browser of all tests, as the first of them asks for it. closeBrowser ends
// it.
func openBrowser(path string) (context.Context, error) {
	browsers.Lock()
	defer browsers.Unlock()
	if browsers.running != nil {
		return browsers.running, nil
	}
	// No traffic but with JupyterLab. What a page asks of another host is an error.
	options := append(browser.Alone(path, filepath.Join(scratch, "browser")), chromedp.WindowSize(width, height))
	allocated, cancelAllocated := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocated)
	if err := chromedp.Do(ctx); err != nil {
		cancel()
		cancelAllocated()
		return nil, err
	}
	browsers.running = ctx
	browsers.cancel = func() { cancel(); cancelAllocated() }
	return ctx, nil
}

// browsers holds the running browser.
var browsers struct {
	sync.Mutex
	running context.Context
	cancel  context.CancelFunc
}

// closeBrowser ends the browser, if it runs.
func closeBrowser() error {
	browsers.Lock()
	defer browsers.Unlock()
	if browsers.running == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(browsers.running, 30*time.Second)
	defer cancel()
	err := chromedp.Cancel(ctx)
	browsers.cancel()
	browsers.running = nil
	return err
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

// checkConsole fails the test at its end if the console has shown an error that has none of the
// texts.
func (p *page) checkConsole(t *testing.T, but ...string) {
	t.Cleanup(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		errors := slices.DeleteFunc(slices.Clone(p.errors), func(text string) bool {
			return slices.ContainsFunc(but, func(part string) bool { return strings.Contains(text, part) })
		})
		if len(errors) > 0 {
			t.Errorf("the browser's console shows errors:\n%s", strings.Join(errors, "\n"))
		}
	})
}

// busyFactor is how much longer than on a quiet machine, of which limits are told, an action may
// take.
const busyFactor = 5

// run runs an action, and ends the test if it fails or takes longer than limit.
func run[T any](t *testing.T, p *page, what string, limit time.Duration, action chromedp.Action[T]) T {
	t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, busyFactor*limit)
	defer cancel()
	result, err := chromedp.Run(ctx, action)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
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
	poll[chromedp.Void](t, p, condition, condition, limit)
}

// poll waits until a JavaScript expression, or what its promise brings, is true, and returns that
// value.
func poll[T any](t *testing.T, p *page, what, expression string, limit time.Duration) T {
	t.Helper()
	// The poll ends before the action does, to say what was waited for.
	return run(t, p, what, limit+time.Second, chromedp.Poll[T](expression,
		chromedp.WithPollingTimeout(busyFactor*limit), chromedp.WithPollingInterval(50*time.Millisecond)))
}

// count returns the number of elements that a CSS selector finds.
func (p *page) count(t *testing.T, selector string) int {
	t.Helper()
	return eval[int](t, p, fmt.Sprintf("document.querySelectorAll(%q).length", selector), 10*time.Second)
}

// grow makes the window as high as the whole notebook is, up to what a browser draws in one piece.
func (p *page) grow(t *testing.T) {
	t.Helper()
	const panel = `document.querySelector(".jp-WindowedPanel-outer")`
	whole := eval[int64](t, p, panel+".scrollHeight", 10*time.Second)
	run(t, p, "resizing", 10*time.Second, chromedp.EmulateViewport(p.width, min(whole+150, 16000)))
	p.waitLayout(t, panel)
	eval[bool](t, p, "("+panel+".scrollTop = 0, true)", patience)
	p.waitLayout(t, panel)
}

// waitLayout waits until the size of an element and of what is in it stays the same for as long as
// the browser draws it ten times: nothing tells of the end of a layout.
func (p *page) waitLayout(t *testing.T, element string) {
	t.Helper()
	eval[bool](t, p, fmt.Sprintf(`(async () => {
		const size = e => [e.clientWidth, e.clientHeight, e.scrollHeight, e.scrollTop, document.images.length].join();
		for (let last = "", same = 0; same < 10; same++) {
			await new Promise(requestAnimationFrame);
			const now = size(%s);
			if (now !== last) [last, same] = [now, 0];
		}
		return true;
	})()`, element), patience)
}

// screenshot keeps a picture of the window as name.png among the artifacts.
func (p *page) screenshot(t *testing.T, name string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, 30*time.Second)
	defer cancel()
	picture, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		t.Errorf("no screenshot: %v", err)
		return
	}
	keep(t, name+".png", picture)
}

// keep writes an artifact and logs its path.
func keep(t *testing.T, name string, content []byte) {
	t.Helper()
	path := filepath.Join(artifacts(t), name)
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Error(err)
		return
	}
	t.Logf("kept: %s", path)
}

// artifacts returns the folder for what people may want to look at: that of HIERML_ARTIFACTS, or a
// new one that outlives the test.
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
