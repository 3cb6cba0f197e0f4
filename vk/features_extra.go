package vk

// #include "evk.h"
import "C"

import "fmt"

// ExtraFeatures are enabled only where DeviceOptions.Features names them: nothing of the project needs them, and some cost
// speed.
type ExtraFeatures struct {
	RobustBufferAccess                              bool
	ImageCubeArray                                  bool
	IndependentBlend                                bool
	SampleRateShading                               bool
	DualSrcBlend                                    bool
	MultiDrawIndirect                               bool
	DrawIndirectFirstInstance                       bool
	DepthClamp                                      bool
	DepthBiasClamp                                  bool
	FillModeNonSolid                                bool
	WideLines                                       bool
	LargePoints                                     bool
	MultiViewport                                   bool
	TextureCompressionETC2                          bool
	TextureCompressionASTCLdr                       bool
	TextureCompressionBC                            bool
	FragmentStoresAndAtomics                        bool
	ShaderImageGatherExtended                       bool
	ShaderStorageImageExtendedFormats               bool
	ShaderStorageImageMultisample                   bool
	ShaderClipDistance                              bool
	ShaderCullDistance                              bool
	ShaderUniformTexelBufferArrayNonUniformIndexing bool
	ShaderStorageTexelBufferArrayNonUniformIndexing bool
	DescriptorBindingUniformBufferUpdateAfterBind   bool
	SamplerFilterMinmax                             bool
}

// links pairs the optional features.
func (o *ExtraFeatures) links(c *C.evk_features) []link {
	return []link{
		{"robustBufferAccess", &o.RobustBufferAccess, &c.robustBufferAccess, false},
		{"imageCubeArray", &o.ImageCubeArray, &c.imageCubeArray, false},
		{"independentBlend", &o.IndependentBlend, &c.independentBlend, false},
		{"sampleRateShading", &o.SampleRateShading, &c.sampleRateShading, false},
		{"dualSrcBlend", &o.DualSrcBlend, &c.dualSrcBlend, false},
		{"multiDrawIndirect", &o.MultiDrawIndirect, &c.multiDrawIndirect, false},
		{"drawIndirectFirstInstance", &o.DrawIndirectFirstInstance, &c.drawIndirectFirstInstance, false},
		{"depthClamp", &o.DepthClamp, &c.depthClamp, false},
		{"depthBiasClamp", &o.DepthBiasClamp, &c.depthBiasClamp, false},
		{"fillModeNonSolid", &o.FillModeNonSolid, &c.fillModeNonSolid, false},
		{"wideLines", &o.WideLines, &c.wideLines, false},
		{"largePoints", &o.LargePoints, &c.largePoints, false},
		{"multiViewport", &o.MultiViewport, &c.multiViewport, false},
		{"textureCompressionETC2", &o.TextureCompressionETC2, &c.textureCompressionETC2, false},
		{"textureCompressionASTC_LDR", &o.TextureCompressionASTCLdr, &c.textureCompressionASTC_LDR, false},
		{"textureCompressionBC", &o.TextureCompressionBC, &c.textureCompressionBC, false},
		{"fragmentStoresAndAtomics", &o.FragmentStoresAndAtomics, &c.fragmentStoresAndAtomics, false},
		{"shaderImageGatherExtended", &o.ShaderImageGatherExtended, &c.shaderImageGatherExtended, false},
		{"shaderStorageImageExtendedFormats", &o.ShaderStorageImageExtendedFormats, &c.shaderStorageImageExtendedFormats, false},
		{"shaderStorageImageMultisample", &o.ShaderStorageImageMultisample, &c.shaderStorageImageMultisample, false},
		{"shaderClipDistance", &o.ShaderClipDistance, &c.shaderClipDistance, false},
		{"shaderCullDistance", &o.ShaderCullDistance, &c.shaderCullDistance, false},
		{"shaderUniformTexelBufferArrayNonUniformIndexing", &o.ShaderUniformTexelBufferArrayNonUniformIndexing,
			&c.shaderUniformTexelBufferArrayNonUniformIndexing, false},
		{"shaderStorageTexelBufferArrayNonUniformIndexing", &o.ShaderStorageTexelBufferArrayNonUniformIndexing,
			&c.shaderStorageTexelBufferArrayNonUniformIndexing, false},
		{"descriptorBindingUniformBufferUpdateAfterBind", &o.DescriptorBindingUniformBufferUpdateAfterBind,
			&c.descriptorBindingUniformBufferUpdateAfterBind, false},
		{"samplerFilterMinmax", &o.SamplerFilterMinmax, &c.samplerFilterMinmax, false},
	}
}

// asked returns the features without the optional ones, but for those that a program names. Any feature may be named, as the
// specification spells it, to be sure that it is there.
func (f Features) asked(names []string) (Features, error) {
	out := f
	out.ExtraFeatures = ExtraFeatures{}
	for _, name := range names {
		var have, enabled *bool
		for _, l := range f.links(nil) {
			if l.name == name {
				have = l.f
			}
		}
		for _, l := range out.links(nil) {
			if l.name == name {
				enabled = l.f
			}
		}
		switch {
		case have == nil:
			return f, fmt.Errorf("feature %q: %w: not a name that this package knows (write it as the specification does)", name,
				ErrInvalid)
		case !*have:
			return f, fmt.Errorf("%w: %s", ErrMissingFeature, name)
		}
		*enabled = true
	}
	return out, nil
}
