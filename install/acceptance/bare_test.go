package acceptance

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/internal/process"
	"github.com/hierml/notebook/internal/testrun"
)

// A bareSystem is the root of a Debian that has what its package manager needs, and some packages.
type bareSystem struct {
	t *testing.T
	// dir is the root, into which the tree of Go can be mounted.
	dir, goroot string
	// proxy is where Go finds modules, "off" for no network.
	proxy string
}

// bareMounts mounts what programs need into the root $1, and the tree of Go $2, if there is one,
// and runs a command of the shell there. All of it ends with the command.
const bareMounts = `set -e
mount -t proc proc "$1/proc"
mount --rbind /dev "$1/dev"
mount -t tmpfs tmpfs "$1/tmp"
path=/usr/bin:/bin:/usr/sbin:/sbin
if [ -n "$2" ]; then
	mkdir -p "$1/usr/local/go"
	mount --bind "$2" "$1/usr/local/go"
	path=/usr/local/go/bin:$path
fi
exec chroot "$1" env -i HOME=/root LANG=C.UTF-8 "GOPROXY=$4" DEBIAN_FRONTEND=noninteractive PIP_CERT="$PIP_CERT" "PATH=$path" sh -ec "$3"`

func newBareSystem(t *testing.T, packages string) bareSystem {
	t.Helper()
	if runtime.GOOS != "linux" || os.Geteuid() != 0 {
		testrun.Need(t, "a bare system", errors.New("to make one takes root, on Linux"))
	}
	needDebian(t, "debootstrap", "debootstrap")
	dir, err := os.MkdirTemp(scratch, "bare")
	if err == nil {
		err = os.Chmod(dir, 0o755) // the root is for all users
	}
	if err != nil {
		t.Fatal(err)
	}
	suite, err := exec.Command("sh", "-c", ". /etc/os-release && echo $VERSION_CODENAME").Output()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("debootstrap", "--variant=minbase", "--include="+packages, strings.TrimSpace(string(suite)), dir).CombinedOutput()
	if err != nil {
		t.Fatalf("debootstrap: %v\n%s", err, out)
	}
	// The package index is asked as it is here.
	for _, file := range []string{"/etc/resolv.conf", "/etc/hosts", "/etc/pip.conf", "/etc/ssl/certs/ca-certificates.crt"} {
		content, err := os.ReadFile(file)
		if err != nil {
			continue // it is not needed then
		}
		if err := os.WriteFile(filepath.Join(dir, file), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return bareSystem{t: t, dir: dir, proxy: "off"}
}

// sh runs a command of the shell in the system, and returns what it prints.
func (b bareSystem) sh(command string) string {
	b.t.Helper()
	cmd := process.Bind(exec.Command("unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", bareMounts, "sh", b.dir, b.goroot, command, b.proxy))
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	err := process.Run(cmd)
	out := said.Bytes()
	if err != nil {
		b.t.Fatalf("%s: %v\n%s", command, err, out)
	}
	return string(out)
}

// give puts a file into the home folder of root.
func (b bareSystem) give(path string) {
	b.t.Helper()
	content, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(filepath.Join(b.dir, "root", filepath.Base(path)), content, 0o644)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// list lists the files of the system but for those that programs write as they run.
func (b bareSystem) list() []string {
	b.t.Helper()
	lines := strings.Split(b.sh("find /usr /opt /etc -not -path '*/__pycache__*' -not -path '/usr/local/go*' | sort"), "\n")
	return slices.DeleteFunc(lines, func(line string) bool { return line == "" })
}

// TestBareSystem holds that hierml is installed where there is Python and no Go, by pip and as a
// package of Debian, that the tour runs there in Jupyter, that cells are compiled when Go is put
// beside it, without a network, and that both leave nothing.
func TestBareSystem(t *testing.T) {
	testrun.LeaveToLong(t, "a Debian is unpacked, JupyterLab is fetched, and all packages are compiled")
	b := newBareSystem(t, "python3,python3-venv,ca-certificates,gcc,libc6-dev")
	dir, err := madeRelease()
	if err != nil {
		t.Fatal(err)
	}
	wheel, wheelErr := single(filepath.Join(dir, "*.whl"))
	deb, debErr := single(filepath.Join(dir, "*.deb"))
	if err := errors.Join(wheelErr, debErr); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{wheel, deb, filepath.Join(root(), "notebooks", "01-tour.ipynb")} {
		b.give(path)
	}
	const cell = "fmt.Println(1 + 1)"
	if err := os.WriteFile(filepath.Join(b.dir, "root", "cell.go"), []byte(cell), 0o644); err != nil {
		t.Fatal(err)
	}
	b.sh("python3 -m venv /opt/jupyter && /opt/jupyter/bin/pip -q install jupyterlab nbclient numpy")

	before := b.list()
	b.sh("/opt/jupyter/bin/pip -q install --no-index /root/*.whl")
	b.sh("cd /root && /opt/jupyter/bin/jupyter nbconvert --to notebook --execute --ExecutePreprocessor.kernel_name=hierml --output /root/done.ipynb 01-tour.ipynb")
	checkExecuted(t, filepath.Join(b.dir, "root", "done.ipynb"), 0)
	if said := b.sh("/opt/jupyter/bin/hierml run --engine compiled /root/cell.go 2>&1 || true"); !strings.Contains(said, "install Go 1.") {
		t.Errorf("without Go, a compiled cell prints\n%s", said)
	}
	withGo := b
	withGo.goroot = goEnv(t, "GOROOT")
	if said := withGo.sh("/opt/jupyter/bin/hierml run --engine compiled /root/cell.go"); !strings.Contains(said, "2\n") {
		t.Errorf("with Go, a compiled cell prints\n%s", said)
	}
	b.sh("/opt/jupyter/bin/pip -q uninstall -y hierml")
	if after := b.list(); !slices.Equal(before, after) {
		t.Errorf("pip leaves %q", slices.DeleteFunc(after, func(name string) bool { return slices.Contains(before, name) }))
	}

	before = b.list()
	b.sh("dpkg --install /root/*.deb")
	if said := b.sh("hierml run /root/cell.go; /opt/jupyter/bin/jupyter kernelspec list"); !strings.Contains(said, "2\n") || !strings.Contains(said, "/usr/share/jupyter/kernels/hierml") {
		t.Errorf("the package of Debian prints\n%s", said)
	}
	b.sh("dpkg --purge hierml")
	if after := b.list(); !slices.Equal(before, after) {
		t.Errorf("dpkg leaves %q", slices.DeleteFunc(after, func(name string) bool { return slices.Contains(before, name) }))
	}
}

// goEnv returns what the go command says of a variable.
func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// TestBareClone holds that the two commands of the README pass in a clone on a Debian that has Go,
// Python and git alone: no data, no compiler of C, no browser, no Slurm, and nothing in any cache.
func TestBareClone(t *testing.T) {
	testrun.LeaveToLong(t, "a Debian is unpacked, and everything is installed, compiled and tested in it")
	b := newBareSystem(t, "python3,python3-venv,ca-certificates,git")
	if out, err := exec.Command("git", "clone", "--no-hardlinks", root(), filepath.Join(b.dir, "root", "hierml")).CombinedOutput(); err != nil {
		t.Fatalf("git clone: %v\n%s", err, out)
	}
	b.goroot, b.proxy = goEnv(t, "GOROOT"), goEnv(t, "GOPROXY")
	for _, command := range []string{"go run ./install", "go run ./install test"} {
		said := b.sh("cd /root/hierml && " + command)
		t.Logf("%s prints\n%s", command, said[max(0, len(said)-20000):])
	}
}
