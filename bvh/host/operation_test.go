package host

import (
	"testing"
	"time"
)

// TestJoinIdle blocks the last task of an operation in one joiner: others wait as long as there may be more, and then
// have nothing left to do.
func TestJoinIdle(t *testing.T) {
	o := newOperation()
	o.open = 1
	begun, hold := make(chan bool), make(chan bool)
	o.push(func() {
		begun <- true
		<-hold
		o.push(func() {
			begun <- true
			<-hold
		})
		o.closing()
	})
	result := make(chan JoinStatus)
	join := func() {
		status, err := o.Join(t.Context())
		if err != nil {
			t.Error(err)
		}
		result <- status
	}
	go join()
	<-begun
	go join()
	select {
	case s := <-result:
		t.Fatalf("a joiner left with %v while there may be more work", s)
	case <-time.After(20 * time.Millisecond):
	}
	hold <- true
	<-begun
	if s := <-result; s != JoinIdle {
		t.Errorf("beside the last task: %v", s)
	}
	hold <- true
	if s := <-result; s != JoinDone {
		t.Errorf("with the last task: %v", s)
	}
}
