// Package repro keeps what the linker was given as files, and does it again: for a defect that shows only within an application.
//
// A Case is a pipeline as the linker sees it: stages with specialisation, options, libraries; or a library, or a shader of a
// compute or graphics pipeline whose ray queries are lowered. Write makes a directory of it, Read
// takes it back, Link links it and tells of each pass, Dump writes the module after each pass as text, and Reduce drops what the
// failure does not need. Package fallback writes them where PipelineOptions.Dump says so, and for internal errors.
//
// Contract: no Vulkan and no device. Directories that Read is given may be anybody's: files are opened within them only, and of
// bounded size; what is in the modules, the linker judges. A Case does not change; functions may be called at once.
package repro
