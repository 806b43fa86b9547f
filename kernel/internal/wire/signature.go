package wire

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"fmt"
	"hash"
	"sync"
)

// schemes are the signature schemes that a connection file may name.
var schemes = map[string]func() hash.Hash{
	"hmac-sha256": sha256.New,
	"hmac-sha384": sha512.New384,
	"hmac-sha512": sha512.New,
}

// A signer signs and verifies messages. Without a key it does neither, as the protocol demands.
type signer struct {
	macs *sync.Pool // of hash.Hash; nil without a key
	seen replays
}

func newSigner(scheme, key string) (*signer, error) {
	h, ok := schemes[scheme]
	if !ok {
		return nil, fmt.Errorf("signature_scheme is %q, expected hmac-sha256, hmac-sha384 or hmac-sha512", scheme)
	}
	s := &signer{}
	if key != "" {
		s.macs = &sync.Pool{New: func() any { return hmac.New(h, []byte(key)) }}
	}
	return s, nil
}

// sign returns the signature of the four parts of a message, in hexadecimal.
func (s *signer) sign(header, parent, metadata, content []byte) []byte {
	if s.macs == nil {
		return nil
	}
	mac := s.macs.Get().(hash.Hash)
	defer s.macs.Put(mac)
	mac.Reset()
	mac.Write(header)
	mac.Write(parent)
	mac.Write(metadata)
	mac.Write(content)
	return hex.AppendEncode(nil, mac.Sum(nil))
}

// verify reports whether a signature is correct and new.
func (s *signer) verify(signature, header, parent, metadata, content []byte) error {
	if s.macs == nil {
		return nil
	}
	if !hmac.Equal(signature, s.sign(header, parent, metadata, content)) {
		return errSignature
	}
	if !s.seen.add(signature) {
		return errReplay
	}
	return nil
}

// maxReplays is the number of signatures to remember.
const maxReplays = 1 << 16

// replays is a set of the newest signatures.
type replays struct {
	mu    sync.Mutex
	known map[[sha256.Size]byte]struct{}
	ring  [][sha256.Size]byte
	next  int
}

// add reports whether the signature is new.
func (r *replays) add(signature []byte) bool {
	// The signature was verified, so it is long enough, and half of a longer one identifies it as
	// well as all of it.
	var name [sha256.Size]byte
	if _, err := hex.Decode(name[:], signature[:2*sha256.Size]); err != nil {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.known[name]; ok {
		return false
	}
	if r.known == nil {
		r.known = make(map[[sha256.Size]byte]struct{})
	}
	if len(r.ring) < maxReplays {
		r.ring = append(r.ring, name)
	} else {
		delete(r.known, r.ring[r.next])
		r.ring[r.next] = name
		r.next = (r.next + 1) % maxReplays
	}
	r.known[name] = struct{}{}
	return true
}
