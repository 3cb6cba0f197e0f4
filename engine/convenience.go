package engine

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"reflect"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/vk"
)

// LoadSPIRV makes the words of a Stage's Code of a file's bytes, of either byte order. It looks at the header only: what is
// behind is judged where the code is used. Errors wrap ErrInvalid.
func LoadSPIRV(file []byte) ([]uint32, error) {
	const magic, header = spirvMagic, 20
	switch {
	case len(file) < header:
		return nil, fmt.Errorf("SPIR-V: %w", invalid("%d bytes, its header has %d", len(file), header))
	case len(file)%4 != 0:
		return nil, fmt.Errorf("SPIR-V: %w", invalid("%d bytes are no whole words: the file is truncated", len(file)))
	}
	var order binary.ByteOrder = binary.LittleEndian
	if binary.BigEndian.Uint32(file) == magic {
		order = binary.BigEndian
	}
	if first := order.Uint32(file); first != magic {
		return nil, fmt.Errorf("SPIR-V: %w",
			invalid("the first word is %#08x, not %#08x: compile the shader (glslangValidator -V)", first, uint32(magic)))
	}
	words := make([]uint32, len(file)/4)
	for i := range words {
		words[i] = order.Uint32(file[4*i:])
	}
	return words, nil
}

// SpecializationValue is a type that a specialisation constant may have.
type SpecializationValue interface {
	~bool | ~int8 | ~uint8 | ~int16 | ~uint16 | ~int32 | ~uint32 | ~int64 | ~uint64 | ~float32 | ~float64
}

// SpecializationConstant returns the bytes of a value for Stage.Specialization, as VkSpecializationInfo wants them: little
// endian, of the constant's size, a boolean as VkBool32.
func SpecializationConstant[T SpecializationValue](value T) []byte {
	v := reflect.ValueOf(value)
	bytes := int(v.Type().Size())
	var bits uint64
	switch v.Kind() {
	case reflect.Bool:
		bits, bytes = flag(v.Bool()), 4
	case reflect.Float32:
		bits = uint64(math.Float32bits(float32(v.Float())))
	case reflect.Float64:
		bits = math.Float64bits(v.Float())
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		bits = uint64(v.Int())
	default:
		bits = v.Uint()
	}
	return binary.LittleEndian.AppendUint64(nil, bits)[:bytes]
}

// NewBuffer makes a buffer in device memory with data in it, and waits for it. Usage 0 is a storage buffer that can also be
// copied and hold indirect commands; every buffer has an address, and can be copied to. Data has one byte at least. Inputs of
// builds come from NewBuildInput.
func (d *Device) NewBuffer(ctx context.Context, name string, data []byte, usage vulkan.BufferUsageFlags) (*vk.Buffer, error) {
	if err := d.usable(); err != nil {
		return nil, fmt.Errorf("buffer %q: %w", name, err)
	}
	if len(data) == 0 {
		return nil, fmt.Errorf("buffer %q: %w", name, invalid("data is empty"))
	}
	if usage != 0 {
		usage |= vulkan.BufferUsageFlags(usageTransferDst)
	}
	b, err := d.device.NewBuffer(vk.BufferOptions{Name: name, Size: uint64(len(data)), Usage: usage})
	if err != nil {
		return nil, err
	}
	if err := d.device.UploadBuffer(ctx, b, 0, data); err != nil {
		b.Destroy()
		return nil, err
	}
	return b, nil
}

// ReadImage reads the texels of an image's first level, row by row and tightly packed, after all work on it was waited for. The
// image is in layout, GENERAL or TRANSFER_SRC_OPTIMAL, and was made with the usage TRANSFER_SRC.
func (d *Device) ReadImage(ctx context.Context, i *vk.Image, layout vulkan.ImageLayout) ([]byte, error) {
	if err := d.usable(); err != nil {
		return nil, fmt.Errorf("read image: %w", err)
	}
	if i == nil {
		return nil, fmt.Errorf("read image: %w", invalid("it is nil"))
	}
	return d.device.ReadImage(ctx, i, layout)
}
