package acceptance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/hierml/notebook/install/internal/python"
	"github.com/hierml/notebook/internal/testrun"
)

// lab is the JupyterLab that all browser tests use. Each has a folder and a workspace of its own in
// it.
type lab struct {
	url, token, dir string
	command         *exec.Cmd
	log             log
}

// labSettings are JupyterLab's settings by plug-in. Cells out of sight are drawn too, and nothing
// asks or fetches news.
var labSettings = map[string]string{
	"@jupyterlab/notebook-extension/tracker.jupyterlab-settings":      `{"windowingMode": "none"}`,
	"@jupyterlab/apputils-extension/notification.jupyterlab-settings": `{"fetchNews": "false", "checkForUpdates": false}`,
}

// openLab returns the JupyterLab of the browser tests, whose kernel is that of this tree. The first
// call starts it.
func openLab(t *testing.T) *lab {
	t.Helper()
	interpreter, data := jupyter(t), kernelData(t)
	labs.Lock()
	defer labs.Unlock()
	if labs.running == nil {
		l, err := startLab(interpreter, filepath.Join(scratch, "lab"), data)
		if err != nil {
			t.Fatal(err)
		}
		labs.running = l
	}
	testrun.Await(t, "JupyterLab answers", func() bool { return labs.running.get("api", nil) == nil })
	return labs.running
}

// labs holds the running JupyterLab.
var labs struct {
	sync.Mutex
	running *lab
}

// startLab starts JupyterLab on the loopback interface with the folder notebooks under dir and the
// kernel of data.
func startLab(interpreter python.Interpreter, dir, data string) (*lab, error) {
	l := &lab{token: uuid.NewString(), dir: filepath.Join(dir, "notebooks")}
	if err := os.MkdirAll(l.dir, 0o755); err != nil {
		return nil, err
	}
	for name, content := range labSettings {
		path := filepath.Join(dir, "settings", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			return nil, err
		}
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	l.url = fmt.Sprintf("http://127.0.0.1:%d", port)
	l.command = interpreter.Command(context.Background(), l.dir, "from jupyterlab.labapp import main; main()",
		"--no-browser", "--allow-root", "--expose-app-in-browser",
		"--ServerApp.ip=127.0.0.1", "--ServerApp.port="+strconv.Itoa(port), "--ServerApp.port_retries=0",
		"--ServerApp.root_dir="+l.dir, "--IdentityProvider.token="+l.token,
		// A page that draws much on a busy machine answers late. In milliseconds.
		"--ServerApp.tornado_settings={'ws_ping_timeout': 600000}")
	l.command.Env = append(l.command.Env, seeing(data, dir)...)
	l.command.Stdout, l.command.Stderr = &l.log, &l.log
	return l, l.command.Start()
}

// closeLab ends JupyterLab and its kernels, if it runs.
func closeLab() error {
	labs.Lock()
	defer labs.Unlock()
	l := labs.running
	if l == nil {
		return nil
	}
	labs.running = nil
	ended := make(chan error, 1)
	go func() { ended <- l.command.Wait() }()
	err := l.send(http.MethodPost, "api/shutdown", nil)
	select {
	case e := <-ended:
		return errors.Join(err, e)
	case <-time.After(30 * time.Second):
		return errors.Join(err, errors.New("JupyterLab does not end"), l.command.Process.Kill())
	}
}

// folder makes a folder for the notebooks of a test. When the test has ended, it ends their
// kernels, and keeps what the server said meanwhile if the test failed.
func (l *lab) folder(t *testing.T) (name string) {
	t.Helper()
	name = strings.ReplaceAll(t.Name(), "/", "-")
	if err := os.MkdirAll(filepath.Join(l.dir, name), 0o755); err != nil {
		t.Fatal(err)
	}
	from := l.log.len()
	t.Cleanup(func() {
		if err := l.endKernels(name + "/"); err != nil {
			t.Errorf("the kernels of the test do not end: %v", err)
		}
		if t.Failed() {
			path := filepath.Join(artifacts(t), name+"-server.log")
			if err := os.WriteFile(path, l.log.since(from), 0o644); err != nil {
				t.Error(err)
			}
			t.Logf("what JupyterLab and its kernels said: %s", path)
		}
	})
	return name
}

// endKernels ends the kernels of the notebooks whose paths begin with prefix.
func (l *lab) endKernels(prefix string) error {
	var sessions []struct{ ID, Path string }
	if err := l.get("api/sessions", &sessions); err != nil {
		return err
	}
	var failed []error
	for _, session := range sessions {
		if strings.HasPrefix(session.Path, prefix) {
			failed = append(failed, l.send(http.MethodDelete, "api/sessions/"+session.ID, nil))
		}
	}
	return errors.Join(failed...)
}

// page returns the address of a notebook, or of the launcher of a folder, in a workspace called
// like the folder.
func (l *lab) page(folder, notebook string) string {
	return fmt.Sprintf("%s/lab/workspaces/%s/tree/%s?token=%s", l.url, url.PathEscape(folder), url.PathEscape(folder)+"/"+url.PathEscape(notebook), l.token)
}

// get asks the server, and decodes what it answers into result if that is not nil.
func (l *lab) get(path string, result any) error { return l.send(http.MethodGet, path, result) }

func (l *lab) send(method, path string, result any) error {
	request, err := http.NewRequest(method, l.url+"/"+path, nil)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "token "+l.token)
	response, err := (&http.Client{Timeout: 30 * time.Second}).Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("%s %s: %s", method, path, response.Status)
	}
	if result == nil {
		return nil
	}
	return json.NewDecoder(response.Body).Decode(result)
}

// log keeps what a process says.
type log struct {
	mu   sync.Mutex
	said bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.said.Write(p)
}

func (l *log) len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.said.Len()
}

// since returns what was said after the first n bytes.
func (l *log) since(n int) []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return bytes.Clone(l.said.Bytes()[n:])
}

func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}
