package machine

import "golang.org/x/sys/unix"

// fileSystems are the known file systems by number, from statfs(2) and the headers of those that
// are not part of Linux.
var fileSystems = map[int64]FileSystem{
	0x6969:     {"NFS", true},
	0x0bd00bd0: {"Lustre", true},
	0x47504653: {"GPFS", true},
	0x19830326: {"BeeGFS", true},
	0x00c36400: {"Ceph", true},
	0xff534d42: {"CIFS", true},
	0xfe534d42: {"SMB", true},
	0x5346414f: {"AFS", true},
	0x20030528: {"OrangeFS", true},
	0xaad7aaea: {"PanFS", true},
	0x01161970: {"GFS2", true},
	0x7461636f: {"OCFS2", true},
	0xef53:     {"ext4", false},
	0x58465342: {"XFS", false},
	0x9123683e: {"Btrfs", false},
	0x2fc12fc1: {"ZFS", false},
	0xf2f52010: {"F2FS", false},
	0x01021994: {"tmpfs", false},
	0x794c7630: {"overlayfs", false},
}

// FileSystemOf returns the file system of a path; the zero value if it is unknown.
func FileSystemOf(path string) (FileSystem, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return FileSystem{}, err
	}
	return fileSystems[int64(uint32(s.Type))], nil
}
