//go:build unix

package cache

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// openFlags keep opening from waiting for a FIFO's writer, and from following a symbolic link.
const openFlags = syscall.O_NONBLOCK | syscall.O_NOFOLLOW

// ownersOnly returns ErrUnsafe for what is not this user's or root's, or what others may write to.
func ownersOnly(info fs.FileInfo) error {
	const othersWrite = 0o022
	if info.Mode().Perm()&othersWrite != 0 {
		return fmt.Errorf("%w: its mode is %v", ErrUnsafe, info.Mode())
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fmt.Errorf("%w: its owner is not known", ErrUnsafe)
	}
	if user := os.Geteuid(); int(st.Uid) != user && st.Uid != 0 {
		return fmt.Errorf("%w: it belongs to user %d, this is user %d", ErrUnsafe, st.Uid, user)
	}
	return nil
}
