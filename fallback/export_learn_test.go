package fallback

// Learning has a pipeline learn on CPUs, too.
func (o *PipelineOptions) Learning() { o.learns = true }

// CompileOthers waits for the other forms of a pipeline that learns.
func (p *Pipeline) CompileOthers() error {
	for form := asOne; form < learnedForms; form++ {
		r := &p.learner.rivals[form]
		<-r.begin()
		if r.err != nil {
			return r.err
		}
	}
	return nil
}
