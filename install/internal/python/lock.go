package python

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"regexp"
)

// The lock files hold for every system and every Python since 3.10: "universal" keeps the markers,
// and the hashes of all of a version's wheels are listed. uv is on PyPI: `pip install uv`.
//
//go:generate uv pip compile --quiet --universal --generate-hashes --no-header --python-version 3.10 requirements.in -o requirements.txt
//go:generate uv pip compile --quiet --universal --generate-hashes --no-header --python-version 3.10 requirements-test.in -o requirements-test.txt

// oldest is the first minor version of Python 3 that the locks hold for.
const oldest = 10

var (
	//go:embed requirements.txt
	jupyterLock []byte
	//go:embed requirements-test.txt
	testLock []byte
)

// Lock is a pip requirements file: exact versions with the hashes of all files they may be
// installed from.
type Lock struct {
	content []byte
}

// Jupyter returns the lock of the private environment: JupyterLab, ipywidgets, nbclient and
// nbconvert.
func Jupyter() Lock { return Lock{jupyterLock} }

// Tests returns the lock of the tests' environment: Jupyter's with jupyter_kernel_test.
func Tests() Lock { return Lock{testLock} }

// Sum identifies the lock's content.
func (l Lock) Sum() string {
	sum := sha256.Sum256(l.content)
	return hex.EncodeToString(sum[:])
}

var requirement = regexp.MustCompile(`(?m)^[A-Za-z0-9][A-Za-z0-9._-]*==`)

// Len returns the number of requirements, those for other systems included.
func (l Lock) Len() int { return len(requirement.FindAll(l.content, -1)) }
