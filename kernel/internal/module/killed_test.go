package module

import (
	"context"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/hierml/notebook/internal/temporary"
)

// askVariable has the test's program ask the go command for a module, from the proxy that it names.
const askVariable = "HIERML_TEST_ASK"

func TestMain(m *testing.M) {
	if address := os.Getenv(askVariable); address != "" {
		ask(address)
		return
	}
	os.Exit(m.Run())
}

func ask(address string) {
	folder, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	s := New(Program{
		Path: "example.org/program", Folder: folder, Packages: map[string]string{},
		Env: []string{"GOPROXY=http://" + address, "GOMODCACHE=" + filepath.Join(folder, "modules"), "GOFLAGS=-modcacherw",
			"GOSUMDB=off", "GOWORK=off", "GO111MODULE=", "GOTOOLCHAIN=local"},
	}, func(map[string]string) error { return nil })
	failed, err := s.Resolve(context.Background(), folder, []string{"example.org/silent"}, func(string) {})
	panic([]any{failed, err})
}

// TestKilledWhileAsking is the attacks module_silent_proxy and worker_temp_left: the go command of
// a killed kernel ends, and the next one clears what it has left.
func TestKilledWhileAsking(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the system does not tell of the death of parents")
	}
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	t.Setenv("TMPDIR", t.TempDir())
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "go.mod"), []byte("module example.org/program\n\ngo 1.26.0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), askVariable+"="+silent.Addr().String())
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	connection, err := silent.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	// The go command never ends the connection, which nothing comes from: its death does.
	_, _ = io.Copy(io.Discard, connection)
	_ = cmd.Wait() // says that it was killed
	left := func() []string {
		t.Helper()
		paths, err := filepath.Glob(filepath.Join(os.TempDir(), "*"))
		if err != nil {
			t.Fatal(err)
		}
		return paths
	}
	if len(left()) != 1 {
		t.Errorf("the killed process left %q, want its folder", left())
	}
	temporary.Clear()
	if len(left()) > 0 {
		t.Errorf("after clearing there is %q", left())
	}
}
