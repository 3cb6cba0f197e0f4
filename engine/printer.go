package engine

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"

	"github.com/everray/everray/engine/internal/driver"
	"github.com/everray/everray/fallback/link/normal"
	"github.com/everray/everray/fallback/spirv/printf"
	"github.com/everray/everray/vk"
)

// PrinterOptions of NewPrinter.
type PrinterOptions struct {
	// Bytes bounds what is kept between two reads; 0 is 1 MiB.
	Bytes uint64
}

// Printer takes what shaders print with debugPrintfEXT, in both ways and without the validation layer: those of ray tracing
// pipelines, compute pipelines and shaders for LowerShader whose options name it. With PipelineOptions.Lane it takes each step of
// one place's shaders and rays besides. Shaders without a Printer pay nothing, and print nothing. It must outlive the pipelines.
type Printer struct {
	device *Device
	buffer *vk.Buffer
	words  uint32 // behind the counter

	mu    sync.Mutex
	sites []printf.Site
}

// Print is what one invocation of a shader printed.
type Print struct {
	// Shader is the name of its stage.
	Shader string
	Text   string
	// Step tells that it is a step of PipelineOptions.Lane: Text says what the shader does there.
	Step bool
}

const (
	defaultPrintBytes = 1 << 20
	mostPrintBytes    = 1 << 30
)

// NewPrinter makes a printer.
func (d *Device) NewPrinter(ctx context.Context, o PrinterOptions) (*Printer, error) {
	if err := d.enter(); err != nil {
		return nil, fmt.Errorf("printer: %w", err)
	}
	defer d.leave()
	if o.Bytes == 0 {
		o.Bytes = defaultPrintBytes
	}
	if o.Bytes < 64 || o.Bytes > mostPrintBytes {
		return nil, fmt.Errorf("printer: %w", invalid("PrinterOptions.Bytes is %d, want 64 to %d", o.Bytes, mostPrintBytes))
	}
	words := uint32(o.Bytes / 4)
	buffer, err := d.device.NewBuffer(vk.BufferOptions{Name: "prints", Size: 4 * uint64(words), Memory: vk.DeviceLocal})
	if err != nil {
		return nil, fmt.Errorf("printer: %w", err)
	}
	p := &Printer{device: d, buffer: buffer, words: words - 1}
	if err := d.device.UploadBuffer(ctx, buffer, 0, make([]byte, buffer.Size())); err != nil {
		p.Destroy()
		return nil, fmt.Errorf("printer: %w", err)
	}
	return p, nil
}

// Destroy releases the printer. Pipelines that print to it must not run any more.
func (p *Printer) Destroy() {
	if p != nil {
		p.buffer.Destroy()
		p.buffer = nil
	}
}

// Read returns what was printed since it was last called: messages of one invocation in order, those of others between them. lost
// counts words for which there was no room. No launch that prints may be under way.
func (p *Printer) Read(ctx context.Context) (list []Print, lost uint64, err error) {
	if p == nil || p.buffer == nil {
		return nil, 0, fmt.Errorf("read what shaders printed: %w", invalid("the printer is nil or destroyed"))
	}
	if err := p.device.enter(); err != nil {
		return nil, 0, fmt.Errorf("read what shaders printed: %w", err)
	}
	defer p.device.leave()
	var counter [4]byte
	if err := p.device.device.ReadBuffer(ctx, p.buffer, 0, counter[:]); err != nil {
		return nil, 0, fmt.Errorf("read what shaders printed: %w", err)
	}
	asked := binary.LittleEndian.Uint32(counter[:])
	if asked == 0 {
		return nil, 0, nil
	}
	data := make([]byte, 4*uint64(min(asked, p.words)))
	if err := p.device.device.ReadBuffer(ctx, p.buffer, 4, data); err != nil {
		return nil, 0, fmt.Errorf("read what shaders printed: %w", err)
	}
	if err := p.device.device.UploadBuffer(ctx, p.buffer, 0, make([]byte, len(data)+4)); err != nil {
		return nil, 0, fmt.Errorf("read what shaders printed: %w", err)
	}
	words := make([]uint32, len(data)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	p.mu.Lock()
	sites := slices.Clone(p.sites)
	p.mu.Unlock()
	for _, m := range printf.Decode(words, sites) {
		list = append(list, Print{Shader: m.Site.Shader, Text: m.Text, Step: m.Site.Step})
	}
	return list, uint64(max(asked, p.words) - p.words), nil
}

// check judges a printer that the options of something name.
func (p *Printer) check(d *Device) error {
	if p != nil && (p.device != d || p.buffer == nil) {
		return invalid("Printer is of another device, or destroyed")
	}
	return nil
}

// usePrinter gives the stages code that prints.
func (o *PipelineOptions) usePrinter(d *Device) error {
	if err := o.Printer.check(d); err != nil {
		return err
	}
	if o.Printer == nil {
		if o.Lane != nil {
			return invalid("Lane is set, and Printer is nil: there is nobody to tell")
		}
		return nil
	}
	o.Stages = slices.Clone(o.Stages)
	for i := range o.Stages {
		s := &o.Stages[i]
		var err error
		s.Code, err = o.Printer.lower(s.Code, printf.Options{Shader: cmp.Or(s.Name, fmt.Sprintf("%v %d", s.Kind, i)),
			Model: normal.Execution(s.Kind), Entry: s.Entry, Lane: o.Lane})
		if err != nil {
			return err
		}
	}
	return nil
}

// lower returns a shader's code that prints here; the code as it is for nil.
func (p *Printer) lower(code []uint32, o printf.Options) ([]uint32, error) {
	if p == nil {
		return code, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	o.Entry, o.Address, o.Words, o.First = cmp.Or(o.Entry, "main"), p.buffer.Address(), p.words, uint32(len(p.sites)+1)
	code, sites, err := printf.Lower(code, o)
	if err != nil {
		return nil, driver.Mark(err, ErrUnsupported)
	}
	p.sites = append(p.sites, sites...)
	return code, nil
}
