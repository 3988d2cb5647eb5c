package sallyport

import (
	"context"
	"regexp"
	"sync"
)

// Piece is what became of a piece of a stream: what may be shown now, and what was found.
type Piece struct {
	Emit     string
	Findings []Finding
}

// Ending is the end of a stream: what may be shown of the rest, and the verdict on the whole.
type Ending struct {
	Judgement
	Emit string
}

// DecisionStream judges texts of one answer while they flow, each in a channel of its own, under one record.
type DecisionStream struct {
	daemon *daemon
	turn   sync.Mutex
	state  sync.Mutex
	id     string
	// blocked and problem stay once they are set.
	blocked bool
	problem error
	ended   bool
}

var streamID = regexp.MustCompile(`^[A-Za-z0-9-]{1,100}$`)

// Stream opens a guard for the texts of one answer while they flow; one that cannot be opened is blocked.
func (o Output) Stream(ctx context.Context, said CallContext) *DecisionStream {
	stream := &DecisionStream{daemon: o.daemon}
	context, err := contextOf(said)
	if err != nil {
		stream.fail(err)
		return stream
	}
	kind := "response"
	opened := struct {
		ID      string
		Blocked *bool
	}{}
	if err := o.daemon.post(ctx, "/v1/streams", StreamOpening{Kind: &kind, Context: context}, &opened); err != nil {
		stream.fail(err)
		return stream
	}
	if opened.Blocked == nil || !streamID.MatchString(opened.ID) {
		stream.fail(&refusal{message: "the answer of the daemon is no stream"})
		return stream
	}
	stream.id, stream.blocked = opened.ID, *opened.Blocked
	return stream
}

// DecisionID is empty where the stream could not be opened.
func (s *DecisionStream) DecisionID() string { return s.id }

// Blocked tells that something was found that stops the stream; nothing more is shown of any channel.
func (s *DecisionStream) Blocked() bool {
	s.state.Lock()
	defer s.state.Unlock()
	return s.blocked
}

// Push takes a piece of a channel and gives what may be shown now; after a block, always nothing.
func (s *DecisionStream) Push(ctx context.Context, piece, channel string) Piece {
	return s.feed(ctx, "push", StreamPush{Piece: piece, Channel: &channel})
}

// Finish ends one channel and gives its rest.
func (s *DecisionStream) Finish(ctx context.Context, channel string) Piece {
	return s.feed(ctx, "finish", StreamFinish{Channel: &channel})
}

// Stop stops the stream: what comes cannot be read, or was found wanting elsewhere.
func (s *DecisionStream) Stop(ctx context.Context, why string) {
	s.feed(ctx, "stop", StreamStop{Why: why})
	s.block()
}

// End ends everything, once: it gives the rest of the unnamed channel and the verdict on the whole.
func (s *DecisionStream) End(ctx context.Context) Ending {
	s.turn.Lock()
	defer s.turn.Unlock()
	answer := StreamEnd{}
	err := s.post(ctx, "end", StreamClosing{}, &answer)
	s.ended = true
	if err == nil && !isVerdict(&answer.Verdict) {
		err = noVerdict
	}
	if err != nil {
		s.fail(err)
		return Ending{Judgement: refusedBecause(err)}
	}
	judgement := judgementOf(&answer.Verdict)
	// Nobody can say yes to a stream any more.
	if judgement.Blocked || judgement.NeedsApproval || s.Blocked() {
		s.block()
		return Ending{Judgement: Judgement{Blocked: true, Verdict: &answer.Verdict}}
	}
	return Ending{Judgement: judgement, Emit: answer.Emit}
}

func (s *DecisionStream) feed(ctx context.Context, what string, body any) Piece {
	s.turn.Lock()
	defer s.turn.Unlock()
	answer := struct {
		Emit     *string
		Findings []Finding
		Blocked  *bool
	}{}
	err := s.post(ctx, what, body, &answer)
	if err == nil && (answer.Emit == nil || answer.Blocked == nil || !areFindings(answer.Findings)) {
		err = &refusal{message: "the answer of the daemon is no piece of a stream"}
	}
	if err != nil {
		s.fail(err)
		return Piece{}
	}
	// INVARIANT: once blocked, a stream stays blocked, whatever an answer says.
	if *answer.Blocked || s.Blocked() {
		s.block()
		return Piece{Findings: answer.Findings}
	}
	return Piece{Emit: *answer.Emit, Findings: answer.Findings}
}

func (s *DecisionStream) post(ctx context.Context, what string, body, answer any) error {
	if s.problem != nil {
		return s.problem
	}
	if s.ended {
		return &refusal{message: "the stream has ended"}
	}
	return s.daemon.post(ctx, "/v1/streams/"+s.id+"/"+what, body, answer)
}

func (s *DecisionStream) fail(problem error) {
	s.problem = problem
	s.block()
}

func (s *DecisionStream) block() {
	s.state.Lock()
	defer s.state.Unlock()
	s.blocked = true
}
