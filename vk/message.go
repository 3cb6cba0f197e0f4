package vk

// #include "evk.h"
import "C"

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/cgo"
	"unsafe"
)

// Severity of a Message.
type Severity uint32

// Values of Severity (VkDebugUtilsMessageSeverityFlagBitsEXT).
const (
	SeverityWarning Severity = 0x0100
	SeverityError   Severity = 0x1000
)

// String names the severity.
func (s Severity) String() string {
	if s >= SeverityError {
		return "error"
	}
	return "warning"
}

// Message is one message of the loader, the driver or the validation layer.
type Message struct {
	Severity   Severity
	Validation bool // from the validation layer, not from the loader or a driver
	ID         string
	Number     int32
	Text       string
	Objects    []string // names, where the objects have some
}

func (m Message) String() string {
	return fmt.Sprintf("%s: [%s] %s (objects %q)", m.Severity, m.ID, m.Text, m.Objects)
}

// sink receives the messages of one instance.
type sink struct {
	on     func(Message)
	logger *slog.Logger
}

// lockLabels keeps the validation layer from a race with itself: version 1.3.239 (Debian 12) erases the labels of a command buffer
// that is destroyed from a table that all command buffers share, without the lock that it takes everywhere else. Two threads
// with command pools of their own, which need no synchronisation, crash in it. Nothing is locked without the layer.
// The layer's fault by itself: testdata/layer_race/layer_race.c.
func (d *Device) lockLabels() (unlock func()) {
	i := d.physical.instance
	if i.layer == 0 {
		return func() {}
	}
	i.labels.Lock()
	return i.labels.Unlock
}

//export evkGoMessage
func evkGoMessage(handle C.uintptr_t, severity, types C.uint32_t, data *C.VkDebugUtilsMessengerCallbackDataEXT) {
	s, ok := cgo.Handle(handle).Value().(*sink)
	if !ok {
		return
	}
	const typeValidation, typePerformance = 2, 4
	m := Message{
		Severity:   Severity(severity),
		Validation: types&(typeValidation|typePerformance) != 0,
		Number:     int32(data.messageIdNumber),
		Text:       C.GoString(data.pMessage),
	}
	if data.pMessageIdName != nil {
		m.ID = C.GoString(data.pMessageIdName)
	}
	for _, o := range unsafe.Slice(data.pObjects, data.objectCount) {
		if o.pObjectName != nil {
			m.Objects = append(m.Objects, C.GoString(o.pObjectName))
		}
	}
	if s.on != nil {
		s.on(m)
		return
	}
	level := slog.LevelWarn
	if m.Severity >= SeverityError {
		level = slog.LevelError
	}
	// no context reaches a driver's callback
	s.logger.Log(context.Background(), level, "vulkan: "+m.Text, "id", m.ID, "objects", m.Objects)
}
