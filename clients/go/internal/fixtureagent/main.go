// The client as an agent for `sallyport fixtures run`: a trial a line in, an outcome a line out.
//
// Usage: fixtureagent URL|SOCKET TOKEN WORKSPACE
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"sallyport"
)

type trial struct {
	ID      int
	Layer   string
	Context struct {
		UserID                *string
		Agent, PermissionMode string
	}
	Input struct {
		Chunks                                          []string
		Text, ContentBase64, Origin, Name, Tool, Server string
		Arguments                                       json.RawMessage
		Justification                                   string
	}
}

type outcome struct {
	ID        int            `json:"id"`
	Decision  string         `json:"decision"`
	Text      *string        `json:"text,omitempty"`
	Arguments map[string]any `json:"arguments,omitempty"`
	Rules     []string       `json:"rules,omitempty"`
	Events    []string       `json:"events,omitempty"`
}

var place, token, workspace = os.Args[1], os.Args[2], os.Args[3]

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	answers := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var asked trial
		check(json.Unmarshal(lines.Bytes(), &asked))
		check(answers.Encode(judged(asked)))
	}
	check(lines.Err())
}

func judged(asked trial) outcome {
	options := sallyport.Options{Socket: place, Token: token, Timeout: 2 * time.Minute}
	if strings.HasPrefix(place, "http:") {
		options.Socket, options.URL = "", place
	}
	// Over HTTP the credential says who asks; nobody has none.
	if asked.Context.UserID == nil {
		options.Token = "nobody"
	}
	guard, err := sallyport.New(options)
	check(err)
	ctx := context.Background()
	said := sallyport.CallContext{
		Agent: asked.Context.Agent, PermissionMode: asked.Context.PermissionMode, Workspace: workspace,
	}
	given := asked.Input
	told := outcome{ID: asked.ID, Decision: "block"}
	var result sallyport.Judgement
	switch {
	case asked.Layer == "input":
		text := guard.Input.Check(ctx, sallyport.InputRequest{
			Text: given.Text + strings.Join(given.Chunks, ""), ContentBase64: given.ContentBase64, Origin: given.Origin, Name: given.Name, Context: said,
		})
		result, told.Text = text.Judgement, &text.Text
	case given.Chunks != nil:
		stream := guard.Output.Stream(ctx, said)
		shown := ""
		for _, chunk := range given.Chunks {
			shown += stream.Push(ctx, chunk, "").Emit
		}
		end := stream.End(ctx)
		shown += end.Emit
		result, told.Text = end.Judgement, &shown
	case asked.Layer == "output":
		text := guard.Output.Check(ctx, sallyport.OutputRequest{Text: given.Text, Context: said})
		result, told.Text = text.Judgement, &text.Text
	default:
		call := sallyport.ToolCall{
			Name: given.Tool, Server: given.Server, Arguments: given.Arguments, Justification: given.Justification,
		}
		validation := guard.Tool.Validate(ctx, sallyport.ValidateRequest{ToolCall: call, Context: said})
		result, told.Arguments = validation.Judgement, validation.Arguments
	}
	if result.Verdict == nil {
		return told
	}
	told.Decision = string(result.Verdict.Decision)
	told.Rules = []string{}
	for _, finding := range result.Verdict.Findings {
		told.Rules = append(told.Rules, finding.Rule)
	}
	told.Events = events(result.Verdict.DecisionID)
	return told
}

// events are the names of what the daemon recorded.
func events(decision string) []string {
	client, base := http.DefaultClient, place
	if !strings.HasPrefix(place, "http:") {
		base = "http://localhost"
		client = &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", place)
		}}}
	}
	request, err := http.NewRequest(http.MethodGet, base+"/v1/log?decision_id="+decision, nil)
	check(err)
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := client.Do(request)
	check(err)
	defer response.Body.Close()
	var log struct{ Entries []sallyport.Entry }
	check(json.NewDecoder(response.Body).Decode(&log))
	names := []string{}
	for _, entry := range log.Entries {
		names = append(names, entry.EventType)
	}
	return names
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
