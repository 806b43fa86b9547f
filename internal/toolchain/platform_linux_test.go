package toolchain

import (
	"io/fs"
	"strings"
	"syscall"
	"testing"
	"time"
)

// owned is a folder with an owner and permissions.
type owned struct {
	user int
	mode fs.FileMode
}

func (owned) Name() string        { return "" }
func (owned) Size() int64         { return 0 }
func (o owned) Mode() fs.FileMode { return fs.ModeDir | o.mode }
func (owned) ModTime() time.Time  { return time.Time{} }
func (owned) IsDir() bool         { return true }
func (o owned) Sys() any          { return &syscall.Stat_t{Uid: uint32(o.user)} }

func TestTrustworthy(t *testing.T) {
	const user = 1000
	for _, test := range []struct {
		folder owned
		want   string
	}{
		{owned{user, 0o700}, ""},
		{owned{user, 0o755}, ""},
		{owned{0, 0o755}, ""},
		{owned{user + 1, 0o755}, "belongs to another user"},
		{owned{user + 1, 0o700}, "belongs to another user"},
		{owned{user, 0o775}, "other users can write"},
		{owned{0, 0o777}, "other users can write"},
		{owned{0, 0o777 | fs.ModeSticky}, "other users can write"},
	} {
		err := trustworthy("/kit", test.folder, user)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%v of user %d: %v, want %q", test.folder.mode, test.folder.user, err, test.want)
		}
	}
}
