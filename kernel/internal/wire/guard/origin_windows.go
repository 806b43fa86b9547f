package guard

import (
	"encoding/binary"
	"hash/fnv"
	"net/netip"
	"unsafe"

	"golang.org/x/sys/windows"
)

// ownerOf asks the system for the owner of the other end of a connection on this machine: the
// process, and its user as a number derived from the SID. For processes of other users the system
// may refuse; then none is found. Able says that the system would answer for a process of this
// user.
func ownerOf(theirs, ours netip.AddrPort) (user uint32, found, able bool) {
	from, to := unmapped(theirs), unmapped(ours)
	l := rows4
	if !from.Addr().Is4() {
		l = rows6
	}
	table, err := tcpTable(l.family)
	if err != nil {
		return 0, false, false
	}
	pid, found := l.find(table, from, to)
	if !found {
		return 0, false, true
	}
	user, err = userOf(pid)
	return user, err == nil, true
}

func unmapped(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(a.Addr().Unmap().WithZone(""), a.Port())
}

// rows describes the layout of a table of connections.
type rows struct {
	family                                      uint32
	size                                        int // of a row
	address                                     int // bytes of one
	local, localPort, remote, remotePort, owner int
}

// The rows MIB_TCPROW_OWNER_PID and MIB_TCP6ROW_OWNER_PID of tcpmib.h.
var (
	rows4 = rows{windows.AF_INET, 24, 4, 4, 8, 12, 16, 20}
	rows6 = rows{windows.AF_INET6, 56, 16, 0, 20, 24, 44, 52}
)

// find returns the process that has a connection.
func (r rows) find(table []byte, local, remote netip.AddrPort) (pid uint32, found bool) {
	if len(table) < 4 {
		return 0, false
	}
	native := binary.NativeEndian
	for n, rest := native.Uint32(table), table[4:]; n > 0 && len(rest) >= r.size; n, rest = n-1, rest[r.size:] {
		end := func(address, port int) netip.AddrPort {
			a, _ := netip.AddrFromSlice(rest[address : address+r.address]) // has the length of one
			return netip.AddrPortFrom(a, binary.BigEndian.Uint16(rest[port:]))
		}
		if end(r.local, r.localPort) == local && end(r.remote, r.remotePort) == remote {
			return native.Uint32(rest[r.owner:]), true
		}
	}
	return 0, false
}

var getExtendedTCPTable = windows.NewLazySystemDLL("iphlpapi.dll").NewProc("GetExtendedTcpTable")

// tcpTable returns the connections of the machine, with the processes that have them.
func tcpTable(family uint32) ([]byte, error) {
	if err := getExtendedTCPTable.Find(); err != nil {
		return nil, err
	}
	const ownersOfConnections = 4 // TCP_TABLE_OWNER_PID_CONNECTIONS
	for size := uint32(16 << 10); ; {
		table := make([]byte, size)
		result, _, _ := getExtendedTCPTable.Call(uintptr(unsafe.Pointer(&table[0])), uintptr(unsafe.Pointer(&size)), 0, uintptr(family), ownersOfConnections, 0)
		switch err := windows.Errno(result); {
		case err == 0:
			return table, nil
		case err != windows.ERROR_INSUFFICIENT_BUFFER:
			return nil, err
		}
		size = max(size, uint32(len(table))) * 2 // there may be more next time
	}
}

// userOf returns a number for the user of a process.
func userOf(pid uint32) (uint32, error) {
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, pid)
	if err != nil {
		return 0, err
	}
	defer windows.CloseHandle(process)
	var token windows.Token
	if err := windows.OpenProcessToken(process, windows.TOKEN_QUERY, &token); err != nil {
		return 0, err
	}
	defer token.Close()
	user, err := token.GetTokenUser()
	if err != nil {
		return 0, err
	}
	sum := fnv.New32a()
	sum.Write([]byte(user.User.Sid.String()))
	return sum.Sum32(), nil
}
