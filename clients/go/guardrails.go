// Package sallyport asks the guardrails of a Sallyport daemon over its HTTP API.
//
//	guard, err := sallyport.New(sallyport.Options{})
//	…
//	call := guard.Tool.Validate(ctx, sallyport.ValidateRequest{
//		ToolCall: sallyport.ToolCall{Name: "Bash", Arguments: map[string]any{"command": "rm -rf /"}},
//	})
//	if call.Blocked || call.NeedsApproval {
//		return call.ToUserError()
//	}
//	run(call.Arguments)
//
// Whatever cannot be judged is blocked: no daemon, a late answer, one that cannot be read.
package sallyport

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"time"
)

// Options name a daemon; the zero value is that of the user's own home.
type Options struct {
	// URL is http://127.0.0.1:PORT or http://localhost:PORT.
	URL string
	// Socket is the path of the daemon's Unix socket.
	Socket string
	// Token is the credential; without one it is read from the home.
	Token string
	// Home is where the daemon keeps its files; default: $SALLYPORT_HOME, else ~/.sallyport.
	Home string
	// Timeout is how long one answer may take; default: 30 seconds.
	Timeout time.Duration
}

// Guardrails are those of one daemon.
type Guardrails struct {
	Input  Input
	Output Output
	Tool   Tool
}

// New names a daemon; it does not speak to it yet.
func New(options Options) (*Guardrails, error) {
	daemon, err := newDaemon(options)
	if err != nil {
		return nil, err
	}
	return &Guardrails{Input: Input{daemon}, Output: Output{daemon}, Tool: Tool{daemon}}, nil
}

// CallContext says where a call comes from. Who asks is said by the credential alone.
type CallContext struct {
	SessionID string
	Agent     string
	// Workspace is the folder that the agent works in; default: the current one.
	Workspace string
	// PermissionMode is one of the four modes, or a host's word for one; any other word is "default".
	PermissionMode string
}

// InputRequest is a text, or a file, that is about to go to a model.
type InputRequest struct {
	Text string
	// ContentBase64 is a file instead of a text, in base64.
	ContentBase64 string
	// Origin is user, tool, file or image.
	Origin string
	// Name is that of the file, or of the tool that answered.
	Name    string
	Context CallContext
}

// OutputRequest is a text that a model wrote.
type OutputRequest struct {
	Text    string
	Context CallContext
}

// ToolCall is a call that a model wants.
type ToolCall struct {
	Name   string
	Server string
	// Arguments are an object, or as a string, []byte or json.RawMessage the JSON text that the model wrote.
	Arguments     any
	Justification string
}

// ValidateRequest is a call, and where it comes from.
type ValidateRequest struct {
	ToolCall ToolCall
	Context  CallContext
}

// Judgement is what became of something. It may go on only if it is neither blocked nor needs approval.
type Judgement struct {
	Blocked       bool
	NeedsApproval bool
	// Verdict is nil where nothing could be judged.
	Verdict *Verdict
	problem error
}

// TextCheck is what became of a text.
type TextCheck struct {
	Judgement
	// Text is the text as it may go on; empty where it may not.
	Text string
}

// Validation is what became of a call.
type Validation struct {
	Judgement
	// Arguments are what to call the tool with; not always those that the model wrote. Numbers are json.Number.
	Arguments map[string]any
}

// GuardrailError says that something was stopped, or waits for approval.
type GuardrailError struct {
	Message  string
	Findings []Finding
	// Approval is where a person can say yes; nil where nobody can.
	Approval *ApprovalNotice
	Hint     string
}

func (e *GuardrailError) Error() string { return e.Message }

// Rule is the rule that decided; empty where there was none.
func (e *GuardrailError) Rule() string {
	strongest := WeightBlock
	if e.Approval != nil {
		strongest = WeightApprove
	}
	for _, finding := range e.Findings {
		if finding.Decision == strongest {
			return finding.Rule
		}
	}
	if len(e.Findings) > 0 {
		return e.Findings[0].Rule
	}
	return ""
}

// ToUserError is what to return or to show: which rule, why, and what to do instead.
func (j Judgement) ToUserError() *GuardrailError {
	if j.Verdict != nil {
		said := &GuardrailError{Message: j.Verdict.Explanation, Findings: j.Verdict.Findings, Approval: j.Verdict.Approval}
		if said.Approval != nil {
			said.Hint = said.Approval.How
		}
		return said
	}
	var refused *refusal
	if errors.As(j.problem, &refused) {
		return &GuardrailError{Message: "Blocked: " + refused.message + ".", Hint: refused.hint}
	}
	return &GuardrailError{Message: "Blocked: the check failed, so the action is blocked."}
}

// refusedBecause is the judgement on what could not be judged. INVARIANT: it is blocked.
func refusedBecause(problem error) Judgement {
	return Judgement{Blocked: true, problem: problem}
}

func judgementOf(verdict *Verdict) Judgement {
	return Judgement{
		Blocked:       verdict.Decision == DecisionBlock,
		NeedsApproval: verdict.Decision == DecisionApprove,
		Verdict:       verdict,
	}
}

// Input judges what goes to a model.
type Input struct{ daemon *daemon }

// Check judges a text or a file before a model reads it; what cannot be judged is blocked.
func (i Input) Check(ctx context.Context, request InputRequest) TextCheck {
	action := map[string]any{}
	if request.ContentBase64 != "" {
		action["contentBase64"] = request.ContentBase64
	}
	if request.Text != "" || request.ContentBase64 == "" {
		action["text"] = request.Text
	}
	set(action, "origin", request.Origin)
	set(action, "name", request.Name)
	return check(ctx, i.daemon, "prompt", action, request.Context)
}

// Output judges what comes from a model.
type Output struct{ daemon *daemon }

// Check judges a text that a model wrote; what cannot be judged is blocked.
func (o Output) Check(ctx context.Context, request OutputRequest) TextCheck {
	return check(ctx, o.daemon, "response", map[string]any{"text": request.Text}, request.Context)
}

// Tool judges what a model does.
type Tool struct{ daemon *daemon }

// Validate judges one call; what cannot be judged is blocked.
func (t Tool) Validate(ctx context.Context, request ValidateRequest) Validation {
	call := request.ToolCall
	arguments, err := argumentsOf(call.Arguments)
	if err != nil {
		return Validation{Judgement: refusedBecause(err), Arguments: map[string]any{}}
	}
	action := map[string]any{"tool": call.Name, "arguments": arguments}
	set(action, "server", call.Server)
	set(action, "justification", call.Justification)
	verdict, err := decide(ctx, t.daemon, "tool", action, request.Context)
	if err != nil {
		return Validation{Judgement: refusedBecause(err), Arguments: map[string]any{}}
	}
	judged, there := verdict.Action["arguments"]
	given, fits := judged.(map[string]any)
	if there && !fits {
		return Validation{Judgement: refusedBecause(noVerdict), Arguments: map[string]any{}}
	}
	if given == nil {
		given = map[string]any{}
	}
	return Validation{Judgement: judgementOf(verdict), Arguments: given}
}

func check(ctx context.Context, daemon *daemon, kind string, action map[string]any, said CallContext) TextCheck {
	verdict, err := decide(ctx, daemon, kind, action, said)
	if err != nil {
		return TextCheck{Judgement: refusedBecause(err)}
	}
	judgement := judgementOf(verdict)
	if judgement.Blocked || judgement.NeedsApproval {
		return TextCheck{Judgement: judgement}
	}
	judged, there := verdict.Action["text"]
	text, fits := judged.(string)
	// A file that passes has no text that could go on.
	if there && !fits {
		return TextCheck{Judgement: refusedBecause(noVerdict)}
	}
	return TextCheck{Judgement: judgement, Text: text}
}

func decide(ctx context.Context, daemon *daemon, kind string, action map[string]any, said CallContext) (*Verdict, error) {
	context, err := contextOf(said)
	if err != nil {
		return nil, err
	}
	action["kind"] = kind
	action["context"] = context
	verdict := &Verdict{}
	if err := daemon.post(ctx, "/v1/decide", action, verdict); err != nil {
		return nil, err
	}
	if !isVerdict(verdict) || verdict.Action["kind"] != kind {
		return nil, noVerdict
	}
	return verdict, nil
}

var noVerdict = &refusal{message: "the answer of the daemon is no verdict"}

// isVerdict tells whether an answer has what a verdict has; a decision that is not known is none.
func isVerdict(verdict *Verdict) bool {
	switch verdict.Decision {
	case DecisionPass, DecisionRedact, DecisionApprove, DecisionBlock:
		return areFindings(verdict.Findings) && verdict.DecisionID != "" && verdict.Explanation != ""
	default:
		return false
	}
}

func areFindings(findings []Finding) bool {
	for _, finding := range findings {
		if finding.Rule == "" || finding.Decision == "" {
			return false
		}
	}
	return findings != nil
}

func contextOf(said CallContext) (*Context, error) {
	workspace, err := filepath.Abs(said.Workspace)
	if err != nil {
		return nil, &refusal{message: "the current folder is not known"}
	}
	context := &Context{Workspace: &workspace}
	if said.SessionID != "" {
		context.Session = &said.SessionID
	}
	if said.Agent != "" {
		context.Agent = &said.Agent
	}
	if said.PermissionMode != "" {
		mode, known := hostModes[said.PermissionMode]
		if !known {
			mode = ModeDefault
		}
		context.Mode = &mode
	}
	return context, nil
}

// argumentsOf gives the JSON text of an object. It goes to the daemon as the model wrote it, to be read strictly there.
func argumentsOf(given any) (json.RawMessage, error) {
	var content []byte
	switch value := given.(type) {
	case nil:
	case string:
		content = []byte(value)
	case []byte:
		content = value
	case json.RawMessage:
		content = value
	default:
		written, err := json.Marshal(value)
		if err != nil {
			return nil, &refusal{message: "what is asked cannot be written as JSON"}
		}
		content = written
	}
	if content == nil {
		content = []byte("{}")
	}
	if !json.Valid(content) || !bytes.HasPrefix(bytes.TrimLeft(content, " \t\r\n"), []byte("{")) {
		return nil, &refusal{message: "the arguments of a call are a JSON object"}
	}
	return content, nil
}

func set(action map[string]any, key, value string) {
	if value != "" {
		action[key] = value
	}
}
