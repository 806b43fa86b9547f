// Package browser finds a Chrome or Chromium, or installs one if the system's packages may be used,
// and returns its options. Callers use it.
package browser

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/chromedp/chromedp"

	"github.com/hierml/notebook/install/internal/debian"
)

// ErrMissing says that no browser was found, and what to install.
var ErrMissing = errors.New("no Chromium or Chrome was found; install one (on Debian: apt-get install chromium)")

// Find returns the path of a Chrome or Chromium. The error is ErrMissing.
func Find() (string, error) {
	for _, name := range names(runtime.GOOS) {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", ErrMissing
}

func names(goos string) []string {
	switch goos {
	case "darwin":
		home, _ := os.UserHomeDir() // without a home, the second half names nothing that exists
		var paths []string
		for _, root := range []string{"/", home} {
			for _, app := range []string{"Chromium", "Google Chrome"} {
				paths = append(paths, filepath.Join(root, "Applications", app+".app", "Contents", "MacOS", app))
			}
		}
		return paths
	case "windows":
		var paths []string
		for _, variable := range []string{"ProgramFiles", "ProgramFiles(x86)", "LocalAppData"} {
			if root := os.Getenv(variable); root != "" {
				for _, vendor := range []string{"Chromium", `Google\Chrome`} {
					paths = append(paths, filepath.Join(root, vendor, "Application", "chrome.exe"))
				}
			}
		}
		return append(paths, "chrome.exe")
	default:
		return []string{"chromium", "chromium-browser", "google-chrome-stable", "google-chrome"}
	}
}

// Alone returns the options of a browser, given the path of its program, without a window, which
// stores its data in a folder and reaches no machine but this one.
func Alone(program, folder string) []chromedp.ExecAllocatorOption {
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program),
		chromedp.UserDataDir(folder),
		chromedp.DisableGPU,
		chromedp.Flag("no-proxy-server", true),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"),
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true),
	)
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // Chromium refuses to sandbox for root
	}
	return options
}

// Install installs Chromium from the system's packages, and the typeface in which pictures are
// drawn: with apt-get, as root or where sudo asks for no password. The error says why it did not.
func Install(ctx context.Context) error {
	err := debian.Install(ctx, "chromium", "fonts-liberation")
	if errors.Is(err, debian.ErrNotHere) {
		return ErrMissing
	}
	return err
}
