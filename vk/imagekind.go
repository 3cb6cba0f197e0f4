package vk

// #include "evk.h"
import "C"

import (
	"fmt"
)

// ImageKind is what an image is, and how its view shows it.
type ImageKind uint32

// The kinds of images. Arrays of cubes, and images of several samples, are not among them.
const (
	Image2D ImageKind = iota
	Image1D
	Image3D
	Image1DArray
	Image2DArray
	ImageCube
)

// imageKinds are VkImageType and VkImageViewType of the kinds.
var imageKinds = [...]struct{ image, view C.uint32_t }{
	Image2D:      {C.VK_IMAGE_TYPE_2D, C.VK_IMAGE_VIEW_TYPE_2D},
	Image1D:      {C.VK_IMAGE_TYPE_1D, C.VK_IMAGE_VIEW_TYPE_1D},
	Image3D:      {C.VK_IMAGE_TYPE_3D, C.VK_IMAGE_VIEW_TYPE_3D},
	Image1DArray: {C.VK_IMAGE_TYPE_1D, C.VK_IMAGE_VIEW_TYPE_1D_ARRAY},
	Image2DArray: {C.VK_IMAGE_TYPE_2D, C.VK_IMAGE_VIEW_TYPE_2D_ARRAY},
	ImageCube:    {C.VK_IMAGE_TYPE_2D, C.VK_IMAGE_VIEW_TYPE_CUBE},
}

// shape checks the sizes, fills in those that are 0, and returns them as C has them.
func (o *ImageOptions) shape(l *Limits) (C.evk_image_shape, error) {
	var none C.evk_image_shape
	if int(o.Kind) >= len(imageKinds) {
		return none, fmt.Errorf("%w: unknown kind %d", ErrInvalid, o.Kind)
	}
	o.Depth = max(o.Depth, 1)
	layers, height, depth, most := uint32(1), l.MaxImageDimension2D, uint32(1), l.MaxImageDimension2D
	switch o.Kind {
	case Image1D:
		most, height = l.MaxImageDimension1D, 1
	case Image1DArray:
		most, height, layers = l.MaxImageDimension1D, 1, l.MaxImageArrayLayers
	case Image2DArray:
		layers = l.MaxImageArrayLayers
	case Image3D:
		most, height, depth = l.MaxImageDimension3D, l.MaxImageDimension3D, l.MaxImageDimension3D
	case ImageCube:
		most, height, layers = l.MaxImageDimensionCube, l.MaxImageDimensionCube, 6
		if o.Layers == 0 {
			o.Layers = 6
		}
	}
	o.Layers = max(o.Layers, 1)
	switch {
	case o.Width == 0 || o.Height == 0 || o.Width > most || o.Height > height || o.Depth > depth:
		return none, fmt.Errorf("%w: a side may have 1 to %d pixels, %d and %d of this kind", ErrInvalid, most, height, depth)
	case o.Layers > layers || o.Kind == ImageCube && (o.Layers != 6 || o.Width != o.Height):
		return none, fmt.Errorf("%w: %d layers, of this kind at most %d (cubes are six squares)", ErrInvalid, o.Layers, layers)
	}
	kind := imageKinds[o.Kind]
	return C.evk_image_shape{_type: kind.image, view: kind.view, width: C.uint32_t(o.Width), height: C.uint32_t(o.Height),
		depth: C.uint32_t(o.Depth), layers: C.uint32_t(o.Layers), levels: C.uint32_t(o.MipLevels)}, nil
}
