package sallyport

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
)

// The client against a daemon that misbehaves: whatever it does, nothing passes that was not judged.

type object = map[string]any

var deletes = object{"rule": "mass_deletion", "guard": "command", "decision": "block", "message": "Deletes all."}

func verdict(kind, decision string) object {
	action := object{"kind": kind, "text": "as judged"}
	if kind == "tool" {
		action = object{"kind": kind, "arguments": object{"a": 9007199254740993}}
	}
	return object{
		"decision": decision, "findings": []any{}, "explanation": "So.", "action": action,
		"decisionId": "d-1", "approval": nil,
	}
}

func with(value object, key string, member any) object {
	changed := object{key: member}
	for name, kept := range value {
		if name != key {
			changed[name] = kept
		}
	}
	return changed
}

func without(value object, key string) object {
	changed := with(value, key, nil)
	delete(changed, key)
	return changed
}

func answer(status int, body any) string {
	payload, isText := body.(string)
	if !isText {
		written, _ := json.Marshal(body)
		payload = string(written)
	}
	return fmt.Sprintf("HTTP/1.1 %d X\r\nContent-Length: %d\r\n\r\n%s", status, len(payload), payload)
}

type asked struct {
	path, token string
	body        object
}

// fake answers requests with the texts that it is given, one after the other; the last one again and again.
type fake struct {
	listener net.Listener
	over     chan struct{}
	lock     sync.Mutex
	answers  []string
	requests []asked
}

const (
	silence = "(silence)"
	trickle = "(trickle)"
)

func listen(t *testing.T, listener net.Listener, answers ...string) *fake {
	t.Helper()
	made := &fake{listener: listener, over: make(chan struct{}), answers: answers}
	t.Cleanup(func() {
		close(made.over)
		listener.Close()
	})
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go made.serve(connection)
		}
	}()
	return made
}

func (f *fake) serve(connection net.Conn) {
	defer connection.Close()
	request, err := http.ReadRequest(bufio.NewReader(connection))
	if err != nil {
		return
	}
	content, _ := io.ReadAll(request.Body)
	body := object{}
	_ = json.Unmarshal(content, &body)
	f.lock.Lock()
	f.requests = append(f.requests, asked{request.URL.Path, request.Header.Get("Authorization"), body})
	said := f.answers[0]
	if len(f.answers) > 1 {
		f.answers = f.answers[1:]
	}
	f.lock.Unlock()
	switch said {
	case silence:
		<-f.over
	case trickle:
		_, _ = io.WriteString(connection, "HTTP/1.1 200 X\r\nContent-Length: 1000\r\n\r\n")
		for {
			select {
			case <-f.over:
				return
			case <-time.After(20 * time.Millisecond):
				if _, err := io.WriteString(connection, " "); err != nil {
					return
				}
			}
		}
	default:
		_, _ = io.WriteString(connection, said)
	}
}

func (f *fake) asked() []asked {
	f.lock.Lock()
	defer f.lock.Unlock()
	return append([]asked{}, f.requests...)
}

func serve(t *testing.T, answers ...string) (*fake, *Guardrails) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	made := listen(t, listener, answers...)
	return made, guarded(t, Options{URL: made.url(), Token: "sp_x", Timeout: 5 * time.Second})
}

func (f *fake) url() string { return "http://" + f.listener.Addr().String() }

func guarded(t *testing.T, options Options) *Guardrails {
	t.Helper()
	guard, err := New(options)
	if err != nil {
		t.Fatal(err)
	}
	return guard
}

func equal(t *testing.T, got, wanted any) {
	t.Helper()
	if !reflect.DeepEqual(got, wanted) {
		t.Errorf("got %#v, wanted %#v", got, wanted)
	}
}

var ctx = context.Background()

func blocked(t *testing.T, guard *Guardrails) {
	t.Helper()
	call := guard.Tool.Validate(ctx, ValidateRequest{ToolCall: ToolCall{Name: "Bash", Arguments: `{"command":"ls"}`}})
	equal(t, []any{call.Blocked, call.NeedsApproval, call.Verdict == nil}, []any{true, false, true})
	equal(t, call.Arguments, map[string]any{})
	for _, check := range []TextCheck{
		guard.Input.Check(ctx, InputRequest{Text: "hi"}), guard.Output.Check(ctx, OutputRequest{Text: "hi"}),
	} {
		equal(t, []any{check.Blocked, check.NeedsApproval, check.Text, check.Verdict == nil}, []any{true, false, "", true})
		if !strings.HasPrefix(check.ToUserError().Error(), "Blocked: ") {
			t.Errorf("got %q", check.ToUserError())
		}
	}
	stream := guard.Output.Stream(ctx, CallContext{})
	equal(t, stream.Blocked(), true)
	equal(t, stream.Push(ctx, "hi", "").Emit+stream.Finish(ctx, "").Emit, "")
	end := stream.End(ctx)
	equal(t, []any{end.Blocked, end.Emit, end.Verdict == nil}, []any{true, "", true})
}

func TestBlocksWhateverADaemonDoesWrong(t *testing.T) {
	good := verdict("tool", "pass")
	for name, said := range map[string]string{
		"closes at once":                  "",
		"closes half way":                 answer(200, good)[:100],
		"says nothing":                    silence,
		"says it slowly":                  trickle,
		"is no HTTP":                      "hello\r\n\r\n",
		"refuses":                         answer(401, object{"error": "unknown", "name": "NotAuthenticated"}),
		"fails":                           answer(500, good),
		"points elsewhere":                "HTTP/1.1 302 X\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
		"answers no JSON":                 answer(200, "{"),
		"answers two values":              answer(200, `{"decision":"pass"} {}`),
		"answers a list":                  answer(200, []any{good}),
		"answers nothing":                 answer(200, object{}),
		"answers null":                    answer(200, "null"),
		"knows another decision":          answer(200, verdict("tool", "allow")),
		"has a decision of another type":  answer(200, with(good, "decision", []any{"pass"})),
		"has no decision":                 answer(200, without(good, "decision")),
		"has no findings":                 answer(200, without(good, "findings")),
		"has findings without rules":      answer(200, with(good, "findings", []any{object{}})),
		"judged another kind":             answer(200, verdict("shell", "pass")),
		"has no action":                   answer(200, with(good, "action", nil)),
		"has arguments of another type":   answer(200, with(good, "action", object{"kind": "tool", "arguments": "a"})),
		"has an approval of another form": answer(200, with(good, "approval", "yes")),
	} {
		t.Run(name, func(t *testing.T) {
			made, _ := serve(t, said)
			blocked(t, guarded(t, Options{URL: made.url(), Token: "sp_x", Timeout: 300 * time.Millisecond}))
			if count := len(made.asked()); count < 4 {
				t.Errorf("only %d requests", count)
			}
		})
	}
}

func TestBlocksWhereThereIsNoDaemon(t *testing.T) {
	folder := t.TempDir()
	blocked(t, guarded(t, Options{URL: "http://127.0.0.1:1", Token: "sp_x"}))
	blocked(t, guarded(t, Options{Socket: filepath.Join(folder, "none.sock"), Token: "sp_x"}))
	blocked(t, guarded(t, Options{Home: folder}))
}

func TestBlocksWhenTheCallerHasNoTimeLeft(t *testing.T) {
	_, guard := serve(t, answer(200, verdict("response", "pass")))
	over, cancel := context.WithCancel(ctx)
	cancel()
	equal(t, guard.Output.Check(over, OutputRequest{Text: "hi"}).Blocked, true)
}

func TestBlocksAnAnswerThatIsTooLarge(t *testing.T) {
	_, guard := serve(t, answer(200, verdict("tool", "pass")))
	before := largestAnswer
	largestAnswer = 50
	defer func() { largestAnswer = before }()
	blocked(t, guard)
}

func TestBlocksWhatCannotBeSent(t *testing.T) {
	made, guard := serve(t, answer(200, verdict("tool", "pass")))
	for _, arguments := range []any{
		math.NaN(), func() {}, "[1]", "{", "1", "", []int{1}, []byte("null"), json.RawMessage("{} {}"), "text",
	} {
		call := guard.Tool.Validate(ctx, ValidateRequest{ToolCall: ToolCall{Name: "x", Arguments: arguments}})
		equal(t, call.Blocked, true)
	}
	for _, token := range []string{"a\r\nb", "é", " "} {
		blocked(t, guarded(t, Options{URL: made.url(), Token: token}))
	}
	equal(t, len(made.asked()), 0)
}

func TestGoesToThisMachineAlone(t *testing.T) {
	for _, url := range []string{
		"http://example.com:4719", "https://127.0.0.1:4719", "http://127.0.0.1", "http://user@127.0.0.1:1",
		"http://127.0.0.1:1/a", "http://127.0.0.1.example.com:1", "ftp://127.0.0.1:1", "http://127.0.0.1:1?a", ":",
	} {
		if _, err := New(Options{URL: url, Token: "sp_x"}); err == nil {
			t.Errorf("%s was taken", url)
		}
	}
	if _, err := New(Options{URL: "http://127.0.0.1:1", Socket: "/x"}); err == nil {
		t.Error("two places were taken")
	}
}

func TestGivesWhatWasJudged(t *testing.T) {
	for _, one := range []struct {
		decision       string
		blocked, waits bool
	}{{"pass", false, false}, {"redact", false, false}, {"approve", false, true}, {"block", true, false}} {
		t.Run(one.decision, func(t *testing.T) {
			said := func(kind string) string {
				judged := verdict(kind, one.decision)
				if one.waits {
					judged["approval"] = object{"id": "7", "expiresAt": "2026", "how": "sallyport approve 7"}
				}
				return answer(200, judged)
			}
			_, guard := serve(t, said("tool"), said("prompt"), said("response"))
			call := guard.Tool.Validate(ctx, ValidateRequest{ToolCall: ToolCall{Name: "x"}})
			equal(t, []any{call.Blocked, call.NeedsApproval}, []any{one.blocked, one.waits})
			equal(t, call.Arguments, map[string]any{"a": json.Number("9007199254740993")})
			text, hint := "as judged", ""
			if one.blocked || one.waits {
				text = ""
			}
			if one.waits {
				hint = "sallyport approve 7"
			}
			for _, check := range []TextCheck{
				guard.Input.Check(ctx, InputRequest{Text: "hi"}), guard.Output.Check(ctx, OutputRequest{Text: "hi"}),
			} {
				equal(t, []any{check.Blocked, check.NeedsApproval, check.Text}, []any{one.blocked, one.waits, text})
				equal(t, check.ToUserError().Hint, hint)
			}
		})
	}
}

func TestNamesTheRuleThatDecided(t *testing.T) {
	warns := with(with(deletes, "decision", "warn"), "rule", "other")
	_, guard := serve(t, answer(200, with(verdict("tool", "block"), "findings", []any{warns, deletes})))
	said := guard.Tool.Validate(ctx, ValidateRequest{ToolCall: ToolCall{Name: "x"}}).ToUserError()
	equal(t, []any{said.Rule(), said.Error()}, []any{"mass_deletion", "So."})
}

func TestSaysWhatTheDaemonSays(t *testing.T) {
	_, guard := serve(t, answer(400, object{"error": "no such folder", "name": "InputError", "hint": "make it"}))
	said := guard.Output.Check(ctx, OutputRequest{Text: "hi"}).ToUserError()
	equal(t, []any{said.Error(), said.Hint}, []any{"Blocked: no such folder (status 400).", "make it"})
}

func TestAsksInTheWordsOfTheWire(t *testing.T) {
	made, guard := serve(t, answer(200, verdict("tool", "pass")))
	guard.Tool.Validate(ctx, ValidateRequest{
		ToolCall: ToolCall{Name: "send", Server: "mail", Arguments: `{"to": "a"}`, Justification: "asked"},
		Context:  CallContext{SessionID: "s", Agent: "claude", Workspace: "sub", PermissionMode: "yolo"},
	})
	guard.Tool.Validate(ctx, ValidateRequest{ToolCall: ToolCall{Name: "x"}, Context: CallContext{PermissionMode: "any"}})
	guard.Input.Check(ctx, InputRequest{ContentBase64: "aGk=", Origin: "file", Name: "a.txt"})
	guard.Input.Check(ctx, InputRequest{})
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	requests := made.asked()
	equal(t, requests[0], asked{"/v1/decide", "Bearer sp_x", object{
		"kind": "tool", "tool": "send", "server": "mail", "arguments": object{"to": "a"}, "justification": "asked",
		"context": object{"session": "s", "agent": "claude", "workspace": filepath.Join(here, "sub"), "mode": "auto"},
	}})
	equal(t, requests[1].body["context"], object{"workspace": here, "mode": "default"})
	equal(t, requests[2].body, object{
		"kind": "prompt", "contentBase64": "aGk=", "origin": "file", "name": "a.txt", "context": object{"workspace": here},
	})
	equal(t, requests[3].body["text"], "")
}

func TestFindsTheDaemonOfTheHome(t *testing.T) {
	home := t.TempDir()
	for _, folder := range []string{"keys", "run"} {
		if err := os.Mkdir(filepath.Join(home, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(home, "keys", "decide.token"), []byte("sp_home\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("unix", filepath.Join(home, "run", "sallyport.sock"))
	if err != nil {
		t.Fatal(err)
	}
	made := listen(t, listener, answer(200, verdict("response", "pass")))
	equal(t, guarded(t, Options{Home: home}).Output.Check(ctx, OutputRequest{Text: "hi"}).Text, "as judged")
	t.Setenv("SALLYPORT_HOME", home)
	equal(t, guarded(t, Options{}).Output.Check(ctx, OutputRequest{Text: "hi"}).Text, "as judged")
	equal(t, made.asked()[0].token, "Bearer sp_home")
}

var (
	opened = answer(200, object{"id": "s-1", "blocked": false})
	ended  = answer(200, object{"emit": "rest", "verdict": verdict("response", "pass")})
)

func piece(emit string, stops bool) string {
	findings := []any{}
	if stops {
		findings = append(findings, deletes)
	}
	return answer(200, object{"emit": emit, "findings": findings, "blocked": stops})
}

func TestShowsAStreamAsItIsJudged(t *testing.T) {
	made, guard := serve(t, opened, piece("a", false), piece("b", false), ended)
	stream := guard.Output.Stream(ctx, CallContext{})
	equal(t, []any{stream.DecisionID(), stream.Blocked()}, []any{"s-1", false})
	shown := stream.Push(ctx, "ab", "").Emit + stream.Finish(ctx, "x").Emit
	end := stream.End(ctx)
	equal(t, []any{shown, end.Emit, end.Blocked}, []any{"ab", "rest", false})
	requests := made.asked()
	equal(t, requests[1:], []asked{
		{"/v1/streams/s-1/push", "Bearer sp_x", object{"piece": "ab", "channel": ""}},
		{"/v1/streams/s-1/finish", "Bearer sp_x", object{"channel": "x"}},
		{"/v1/streams/s-1/end", "Bearer sp_x", object{}},
	})
	equal(t, []any{stream.Push(ctx, "more", "").Emit, stream.End(ctx).Blocked, stream.Blocked()}, []any{"", true, true})
	equal(t, len(made.asked()), len(requests))
}

func TestShowsNothingOfAStreamThatWasBlockedOnce(t *testing.T) {
	for name, first := range map[string]string{
		"blocked": piece("leak", true), "no piece": answer(200, object{"emit": "leak"}), "broken": "",
		"refused": answer(404, object{}),
	} {
		t.Run(name, func(t *testing.T) {
			_, guard := serve(t, opened, first, piece("leak", false), ended)
			stream := guard.Output.Stream(ctx, CallContext{})
			equal(t, stream.Push(ctx, "a", "").Emit, "")
			equal(t, stream.Blocked(), true)
			equal(t, stream.Push(ctx, "b", "").Emit, "")
			end := stream.End(ctx)
			equal(t, []any{end.Emit, end.Blocked}, []any{"", true})
		})
	}
}

func TestShowsNoRestOfAStreamThatEndsBlocked(t *testing.T) {
	for _, decision := range []string{"block", "approve", "allow"} {
		_, guard := serve(t, opened, answer(200, object{"emit": "leak", "verdict": verdict("response", decision)}))
		end := guard.Output.Stream(ctx, CallContext{}).End(ctx)
		equal(t, []any{end.Emit, end.Blocked}, []any{"", true})
	}
}

func TestStopsAStream(t *testing.T) {
	made, guard := serve(t, opened, "")
	stream := guard.Output.Stream(ctx, CallContext{})
	stream.Stop(ctx, "not readable")
	equal(t, []any{stream.Blocked(), stream.Push(ctx, "a", "").Emit}, []any{true, ""})
	equal(t, made.asked()[1].body, object{"why": "not readable"})
}

func TestTakesNoIDThatLeadsElsewhere(t *testing.T) {
	for _, id := range []any{"../decide", "a/b", "", 7, "a?b", nil} {
		_, guard := serve(t, answer(200, object{"id": id, "blocked": false}))
		equal(t, guard.Output.Stream(ctx, CallContext{}).Blocked(), true)
	}
}
