package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// console shows long steps one after another: as a moving bar on a terminal, as plain lines
// elsewhere.
type console struct {
	out      io.Writer
	terminal bool
}

func newConsole(file *os.File) *console {
	return &console{out: file, terminal: term.IsTerminal(int(file.Fd()))}
}

func (c *console) printf(format string, args ...any) {
	fmt.Fprintf(c.out, format+"\n", args...)
}

// quiet is how long a step without a terminal is silent.
const quiet = 10 * time.Second

// step is one of the long things. It is used by one goroutine.
type step struct {
	console *console
	name    string
	begun   time.Time
	said    time.Time
	bar     *progressbar.ProgressBar
}

// begin announces a step.
func (c *console) begin(name string) *step {
	now := time.Now()
	s := &step{console: c, name: name, begun: now, said: now}
	if !c.terminal {
		c.printf("%s ...", name)
		return s
	}
	s.bar = progressbar.NewOptions(-1,
		progressbar.OptionSetWriter(c.out),
		progressbar.OptionSetDescription(name),
		progressbar.OptionSetWidth(20),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionSpinnerType(14),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionSetRenderBlankState(true),
	)
	return s
}

// progress says how far the step is. A total of 0 means that it is unknown; done counts packages
// then.
func (s *step) progress(done, total int, what string) {
	text := s.name
	if total == 0 && done > 0 {
		text += fmt.Sprintf(": %d packages", done)
	}
	if what != "" {
		text += ": " + what
	}
	if s.bar == nil {
		if time.Since(s.said) < quiet {
			return
		}
		s.said = time.Now()
		if total > 0 {
			text += fmt.Sprintf(" (%d of %d)", done, total)
		}
		s.console.printf("  %s", text)
		return
	}
	if total > 0 && s.bar.GetMax() != total {
		s.bar.ChangeMax(total)
	}
	s.bar.Describe(shorten(text, 50))
	// The bar would end itself at its maximum, before the step does.
	err := s.bar.Set(min(done, max(total-1, 0)))
	if err != nil {
		s.bar = nil // the terminal is gone; the plain lines say why if they cannot be written
	}
}

// end ends the step with its result.
func (s *step) end(format string, args ...any) {
	if s.bar != nil {
		if err := s.bar.Finish(); err != nil {
			s.bar = nil
		}
		fmt.Fprint(s.console.out, "\r\x1b[K")
	}
	s.console.printf("%s: %s (%s)", s.name, fmt.Sprintf(format, args...), seconds(time.Since(s.begun)))
}

// fail closes a step that an error ended, and returns the error with the step's name in front.
func (s *step) fail(err error) error {
	s.end("failed")
	return fmt.Errorf("%s: %w", strings.ToLower(s.name[:1])+s.name[1:], err)
}

func seconds(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return fmt.Sprintf("%.0f s", d.Seconds())
}

func shorten(text string, n int) string {
	if runes := []rune(text); len(runes) > n {
		return string(runes[:n-1]) + "…"
	}
	return text
}
