package spirv

// Renumber is renumber, for tests.
func (m *Module) Renumber(ids []uint32) { m.renumber(ids) }
