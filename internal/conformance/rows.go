package conformance

// All returns every row, those of a program together.
func All() []Row {
	c, b := newCore(), newBox()
	var out []Row
	for _, rows := range [][]Row{
		c.opacityRows(), c.facingRows(), c.endRows(), c.maskRows(), c.intervalRows(), c.nullRows(), c.inactiveRows(), c.identityRows(),
		c.addressRows(), c.recordStrideRows(), c.missRows(), c.sharedRows(), c.strideZeroRows(),
		recordRows(), anyHitRows(), builtinRows(), launchRows(), payloadRows(), recursionRows(), callableRows(),
		b.reportRows(), b.flagRows(), b.sceneRows(), attributeRows(), intersectionRows(), intersectionBuiltinRows(), builtinAfterRows(),
		positionRows(),
		hitObjectRows(),
		pipelineFlagRows(),
	} {
		out = append(out, rows...)
	}
	return out
}
