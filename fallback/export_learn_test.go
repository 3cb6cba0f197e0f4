package fallback

// Learning has a pipeline learn on CPUs, too.
func (o *PipelineOptions) Learning() { o.learns = true }

// CompileOther waits for the other form of a pipeline that learns.
func (p *Pipeline) CompileOther() error {
	<-p.learner.alone.begin()
	return p.learner.alone.err
}
