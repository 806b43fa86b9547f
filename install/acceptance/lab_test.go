package acceptance

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"
)

// lab is a running JupyterLab with a folder and a configuration of its own.
type lab struct {
	url, token string
}

// labSettings are JupyterLab's settings by plug-in. Cells out of sight are
// drawn too, and nothing asks or fetches news.
var labSettings = map[string]string{
	"@jupyterlab/notebook-extension/tracker.jupyterlab-settings":      `{"windowingMode": "none"}`,
	"@jupyterlab/apputils-extension/notification.jupyterlab-settings": `{"fetchNews": "false", "checkForUpdates": false}`,
}

// startLab starts JupyterLab on the loopback interface with dir for its folder
// and the kernel of data. It ends with the test.
func startLab(t *testing.T, dir, data string) lab {
	t.Helper()
	private := t.TempDir()
	for name, content := range labSettings {
		path := filepath.Join(private, "settings", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	l := lab{token: uuid.NewString()}
	port := freePort(t)
	l.url = fmt.Sprintf("http://127.0.0.1:%d", port)
	ctx, cancel := context.WithCancel(context.Background())
	cmd := jupyter(t).Command(ctx, dir, "from jupyterlab.labapp import main; main()",
		"--no-browser", "--allow-root", "--expose-app-in-browser",
		"--ServerApp.ip=127.0.0.1", "--ServerApp.port="+strconv.Itoa(port), "--ServerApp.port_retries=0",
		"--ServerApp.root_dir="+dir, "--IdentityProvider.token="+l.token)
	cmd.Env = append(cmd.Env, seeing(data, private)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		l.shutDown(t)
		err := cmd.Wait()
		cancel()
		if t.Failed() {
			t.Logf("JupyterLab ended with %v and said:\n%s", err, log.Bytes())
		}
	})
	for begun := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		if response, err := http.Get(l.url + "/api?token=" + l.token); err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return l
			}
		}
		if time.Since(begun) > time.Minute {
			cancel()
			t.Fatalf("JupyterLab does not answer on %s", l.url)
		}
	}
}

// shutDown asks the server to end its kernels and itself.
func (l lab) shutDown(t *testing.T) {
	response, err := http.Post(l.url+"/api/shutdown?token="+l.token, "application/json", nil)
	if err != nil {
		t.Errorf("JupyterLab does not shut down: %v", err)
		return
	}
	response.Body.Close()
}

func freePort(t *testing.T) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}
