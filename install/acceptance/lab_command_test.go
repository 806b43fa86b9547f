package acceptance

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/hierml/notebook/install/internal/release"
	"github.com/hierml/notebook/internal/beside"
	"github.com/hierml/notebook/internal/testprogram"
	"github.com/hierml/notebook/internal/testrun"
)

// TestLabCommand starts JupyterLab by `hierml lab` with options of its own, as whoever runs the
// test: in containers that is root. It serves the course to those who have the token, sees the
// kernel, and ends with the command.
func TestLabCommand(t *testing.T) {
	interpreter, data, dir := jupyter(t), kernelData(t), t.TempDir()
	course, err := release.Course(root(), time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	archive := filepath.Join(dir, "xdg", "data", "hierml", beside.Course)
	if err := os.MkdirAll(filepath.Dir(archive), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(archive, course, 0o644); err != nil {
		t.Fatal(err)
	}
	port, err := freePort()
	if err != nil {
		t.Fatal(err)
	}
	environment := append(seeing(data, dir), "PATH="+filepath.Dir(interpreter.Path)+string(os.PathListSeparator)+os.Getenv("PATH"))
	program := testprogram.Open(t, false).File
	l := &lab{url: fmt.Sprintf("http://127.0.0.1:%d", port), token: uuid.NewString()}
	l.command = exec.Command(program, "lab", "lessons", "--", "--no-browser", "--port", strconv.Itoa(port), "--ServerApp.port_retries=0", "--IdentityProvider.token="+l.token)
	l.command.Dir, l.command.Env = dir, environment
	l.command.Stdout, l.command.Stderr = &l.log, &l.log
	if err := l.command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- l.command.Wait() }()
	testrun.Await(t, "JupyterLab answers", func() bool {
		select {
		case err := <-ended:
			t.Fatalf("it has ended: %v\n%s", err, l.log.since(0))
		default:
		}
		return l.get("api/status", nil) == nil
	})
	var chapter struct{ Type string }
	if err := l.get("api/contents/00-course.ipynb", &chapter); err != nil || chapter.Type != "notebook" {
		t.Errorf("the first chapter is a %q, %v", chapter.Type, err)
	}
	var kernels struct{ Kernelspecs map[string]any }
	if err := l.get("api/kernelspecs", &kernels); err != nil || kernels.Kernelspecs["hierml"] == nil {
		t.Errorf("the kernels are %v, %v", kernels.Kernelspecs, err)
	}
	if status, err := statusOf(l.url + "/api/status"); status != http.StatusForbidden {
		t.Errorf("without the token: %d, %v", status, err)
	}
	if err := l.command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("it ends with %v\n%s", err, l.log.since(0))
	}
	if status, err := statusOf(l.url + "/api/status"); err == nil {
		t.Errorf("JupyterLab goes on: %d", status)
	}

	doctor := exec.Command(program, "doctor")
	doctor.Dir, doctor.Env = dir, environment
	out, _ := doctor.Output() // there are other things that it may find
	// On a busy machine the doctor says that JupyterLab does not tell its version in time.
	if want := "ok     `hierml lab` can start JupyterLab " + interpreter.Packages["jupyterlab"]; !strings.Contains(string(out), want) && !strings.Contains(string(out), "lab --version did not answer") {
		t.Errorf("the doctor says\n%s", out)
	}
}

// statusOf returns with which status a server answers.
func statusOf(address string) (int, error) {
	response, err := http.Get(address)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}
