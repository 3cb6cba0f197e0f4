package vk

import (
	"math/rand/v2"
	"testing"
)

// checkArena verifies what always holds: sorted, apart from each other, inside, and adding up.
func checkArena(t *testing.T, a *arena) {
	t.Helper()
	var sum, last uint64
	for i, f := range a.free {
		if f.size == 0 || f.end() > a.size || i > 0 && f.offset <= last {
			t.Fatalf("free list %v of an arena of %d", a.free, a.size)
		}
		last, sum = f.end(), sum+f.size
	}
	if sum+a.used != a.size {
		t.Fatalf("%d free and %d used of %d", sum, a.used, a.size)
	}
}

func TestArenaCoalesces(t *testing.T) {
	a := newArena(0, 1024)
	var at [4]uint64
	for i := range at {
		var ok bool
		if at[i], ok = a.take(256, 256); !ok {
			t.Fatalf("take %d failed", i)
		}
	}
	if _, ok := a.take(1, 1); ok {
		t.Error("took from a full arena")
	}
	for _, i := range []int{0, 2, 1, 3} { // a hole, another, the one between, the end
		if !a.give(at[i], 256) {
			t.Fatalf("give %d failed", i)
		}
		checkArena(t, a)
	}
	if len(a.free) != 1 {
		t.Errorf("free list %v, want one span", a.free)
	}
}

func TestArenaAlignsAddressesNotOffsets(t *testing.T) {
	a := newArena(64, 4096) // as lavapipe's blocks: aligned to 64 only
	off, ok := a.take(100, 256)
	if !ok || (64+off)%256 != 0 {
		t.Errorf("offset %d, %v", off, ok)
	}
	checkArena(t, a)
}

func TestArenaRefuses(t *testing.T) {
	a := newArena(0, 1000)
	if _, ok := a.take(0, 1); ok {
		t.Error("took nothing")
	}
	if _, ok := a.take(1001, 1); ok {
		t.Error("took too much")
	}
	if _, ok := a.take(^uint64(0), 4096); ok {
		t.Error("took with overflow")
	}
	off, _ := a.take(100, 1)
	if a.give(off+50, 100) || a.give(off, 101) || a.give(990, 20) || a.give(0, 0) {
		t.Error("took back what was never given")
	}
	if !a.give(off, 100) || a.give(off, 100) {
		t.Error("took the same back twice")
	}
	checkArena(t, a)
}

func TestArenaTakesTheBestFit(t *testing.T) {
	a := newArena(0, 1000)
	big, _ := a.take(300, 1)
	if _, ok := a.take(100, 1); !ok {
		t.Fatal("no room")
	}
	small, _ := a.take(100, 1)
	if _, ok := a.take(500, 1); !ok {
		t.Fatal("no room")
	}
	a.give(big, 300)
	a.give(small, 100)
	if off, _ := a.take(100, 1); off != small {
		t.Errorf("took offset %d, the hole that fits is at %d", off, small)
	}
}

type taken struct{ off, size, align uint64 }

// exercise applies operations (two bytes each) and checks the arena after every one.
func exercise(t *testing.T, base uint64, ops []byte) {
	const size = 1 << 16
	a := newArena(base, size)
	owner := make([]bool, size)
	mark := func(x taken, v bool) {
		for i := x.off; i < x.off+x.size; i++ {
			if owner[i] == v {
				t.Fatalf("byte %d is handed out twice or freed twice", i)
			}
			owner[i] = v
		}
	}
	var live []taken
	for i := 0; i+1 < len(ops); i += 2 {
		op, arg := ops[i], uint64(ops[i+1])
		if op&1 == 0 || len(live) == 0 {
			x := taken{size: arg*arg/4 + 1, align: 1 << (op >> 1 % 12)}
			off, ok := a.take(x.size, x.align)
			if ok {
				x.off = off
				if (base+off)%x.align != 0 {
					t.Fatalf("address %d is not aligned to %d", base+off, x.align)
				}
				mark(x, true)
				live = append(live, x)
			}
		} else {
			k := int(arg) % len(live)
			x := live[k]
			mark(x, false)
			if !a.give(x.off, x.size) {
				t.Fatalf("give %+v was refused", x)
			}
			live = append(live[:k], live[k+1:]...)
		}
		checkArena(t, a)
	}
	for _, x := range live {
		a.give(x.off, x.size)
	}
	if len(a.free) != 1 || a.used != 0 {
		t.Fatalf("after everything came back: %v, %d used", a.free, a.used)
	}
}

func FuzzArena(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		ops := make([]byte, 400)
		for i := range ops {
			ops[i] = byte(r.Uint32())
		}
		f.Add(uint64(r.Uint32()), ops)
	}
	f.Fuzz(func(t *testing.T, base uint64, ops []byte) {
		exercise(t, base&(1<<47-1), ops[:min(len(ops), 2000)])
	})
}
