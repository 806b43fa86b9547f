//go:build cgo && linux

package early

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestMain is the kernel of TestListener where the arguments are those of a kernel: it names the
// channels that listened before it, and what a client sent it.
func TestMain(m *testing.M) {
	if len(os.Args) < 2 || os.Args[1] != "kernel" {
		os.Exit(m.Run())
	}
	for _, address := range strings.Split(os.Getenv("EARLY_TEST_ADDRESSES"), " ") {
		l, err := Listener(address)
		again, _ := Listener(address)
		fmt.Println(l != nil, err, again != nil)
	}
	fmt.Println(Parent() == os.Getppid())
}

// TestListener holds that a kernel listens early where its connection file says, and only then.
func TestListener(t *testing.T) {
	var ports, addresses []any
	for range 5 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
		addresses = append(addresses, l.Addr())
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	const channels = `"shell_port": %d, "iopub_port": %d, "stdin_port": %d, "control_port": %d, "hb_port": %d`
	file := fmt.Sprintf(`{`+channels+`, "ip": "127.0.0.1", "transport": "tcp", "key": ""}`, ports...)
	yes, no := strings.Repeat("true <nil> false\n", 5)+"true\n", strings.Repeat("false <nil> false\n", 5)+"true\n"
	for name, test := range map[string]struct {
		content string
		more    []string
		want    string
	}{
		"TCP on this machine": {file, nil, yes},
		"without spaces":      {strings.ReplaceAll(file, ": ", ":"), nil, yes},
		"another argument":    {file, []string{"--memory=none"}, no},
		"every interface":     {strings.Replace(file, "127.0.0.1", "0.0.0.0", 1), nil, no},
		"ipc":                 {strings.Replace(file, `"tcp"`, `"ipc"`, 1), nil, no},
		"no transport":        {strings.Replace(file, `, "transport": "tcp"`, "", 1), nil, no},
		"no ports":            {`{"ip": "127.0.0.1", "transport": "tcp"}`, nil, no},
		"empty":               {"", nil, no},
		"too large":           {file[:1] + strings.Repeat(" ", 5000) + file[1:], nil, no},
	} {
		path := filepath.Join(t.TempDir(), "kernel.json")
		if err := os.WriteFile(path, []byte(test.content), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := run(t, addresses, append([]string{path}, test.more...)); got != test.want {
			t.Errorf("%s: got\n%swant\n%s", name, got, test.want)
		}
	}
	pipe := filepath.Join(t.TempDir(), "kernel.json")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := run(t, addresses, []string{pipe}); got != no {
		t.Errorf("a pipe: got\n%s", got)
	}
}

// run returns what a kernel of this test prints.
func run(t *testing.T, addresses []any, args []string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], append([]string{"kernel"}, args...)...)
	cmd.Env = append(os.Environ(), "EARLY_TEST_ADDRESSES="+strings.TrimSuffix(fmt.Sprintln(addresses...), "\n"))
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
