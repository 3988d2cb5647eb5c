// The auditor on small agents in Go: what it proves, and every way in which a guard is there and does not hold.

import { describe, expect, it } from 'vitest';
import { type AuditResult, audit, parserReaders, type SourceFile } from './index.ts';

const readers = parserReaders();

async function auditFiles(files: Readonly<Record<string, string>>): Promise<AuditResult> {
  const sources = Object.entries(files).map(([path, text]): SourceFile => ({ path, text }));
  return await audit({ files: sources, readers });
}

/** What is violated, as `rule:line`. */
function violated({ findings }: AuditResult): readonly string[] {
  return findings.filter(({ answer }) => answer === 'violated').map(({ rule, line }) => `${rule}:${line}`);
}

function rulesOf(result: AuditResult): readonly string[] {
  return [...new Set(violated(result).map((found) => found.split(':')[0] ?? ''))].toSorted();
}

const head = `package agent

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/openai/openai-go"
	"golang.org/x/sync/errgroup"
	"sallyport"
	"example.com/agent/guards"
)

type Agent struct {
	client   openai.Client
	guard    *sallyport.Guardrails
	detector *guards.PromptInjectionDetector
	settings map[string]bool
}

func (a *Agent) ask(ctx context.Context, text string) string {
	completion, err := a.client.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(text)},
	})
	if err != nil {
		return ""
	}
	return completion.Choices[0].Message.Content
}

func (a *Agent) Run(ctx context.Context, text string) error {
`;

const check = `	checked := a.guard.Input.Check(ctx, sallyport.InputRequest{Text: text})
	if checked.Blocked || checked.NeedsApproval {
		return checked.ToUserError()
	}
`;

const agent = (body: string, more = '') =>
  auditFiles({ 'agent.go': `${head}${body}\treturn nil\n}\n${more}` });

const screen = `
func (a *Agent) screen(ctx context.Context, text string) (string, error) {
${check.replaceAll('return checked', 'return "", checked')}	return checked.Text, nil
}
`;

describe('what is proved of a guard in Go', () => {
  it.each([
    ['its result is looked at, and its text goes on', `${check}\ta.ask(ctx, checked.Text)\n`, ''],
    ['a constant', '\ta.ask(ctx, "hello")\n', ''],
    [
      'a helper that gives the text and an error',
      '\ttext, err := a.screen(ctx, text)\n\tif err != nil {\n\t\treturn err\n\t}\n\ta.ask(ctx, text)\n',
      screen,
    ],
    [
      'an if with a statement',
      `	if safe, err := a.screen(ctx, text); err != nil {
		return err
	} else {
		a.ask(ctx, safe)
	}
`,
      screen,
    ],
    [
      'a helper with named results',
      '\tsafe, err := a.named(ctx, text)\n\tif err != nil {\n\t\treturn err\n\t}\n\ta.ask(ctx, safe)\n',
      `
func (a *Agent) named(ctx context.Context, text string) (safe string, err error) {
	checked := a.guard.Input.Check(ctx, sallyport.InputRequest{Text: text})
	if checked.Blocked || checked.NeedsApproval {
		err = checked.ToUserError()
		return
	}
	safe = checked.Text
	return
}
`,
    ],
    [
      'a switch without a subject',
      `	checked := a.guard.Input.Check(ctx, sallyport.InputRequest{Text: text})
	switch {
	case checked.Blocked, checked.NeedsApproval:
		return checked.ToUserError()
	default:
		a.ask(ctx, checked.Text)
	}
`,
      '',
    ],
    [
      'a method value',
      `	screen := a.screen
	safe, err := screen(ctx, text)
	if err != nil {
		return err
	}
	a.ask(ctx, safe)
`,
      screen,
    ],
    [
      'an interface that a type of the program implements',
      `	var s screener = a
	safe, err := s.screen(ctx, text)
	if err != nil {
		return err
	}
	a.ask(ctx, safe)
`,
      `${screen}
type screener interface {
	screen(ctx context.Context, text string) (string, error)
}
`,
    ],
    [
      'a generic function around it',
      `	checked := must(a.guard.Input.Check(ctx, sallyport.InputRequest{Text: text}))
	if checked.Blocked || checked.NeedsApproval {
		return checked.ToUserError()
	}
	a.ask(ctx, checked.Text)
`,
      '\nfunc must[T any](value T) T { return value }\n',
    ],
    [
      'a goroutine that is waited for',
      `	var checked sallyport.TextCheck
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		checked = a.guard.Input.Check(ctx, sallyport.InputRequest{Text: text})
	}()
	wg.Wait()
	if checked.Blocked || checked.NeedsApproval {
		return checked.ToUserError()
	}
	a.ask(ctx, checked.Text)
`,
      '',
    ],
    [
      'a channel that brings the result',
      `	results := make(chan sallyport.TextCheck, 1)
	go func() { results <- a.guard.Input.Check(ctx, sallyport.InputRequest{Text: text}) }()
	checked := <-results
	if checked.Blocked || checked.NeedsApproval {
		return checked.ToUserError()
	}
	a.ask(ctx, checked.Text)
`,
      '',
    ],
    [
      'a group whose error is looked at',
      `	var safe string
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		checked := a.guard.Input.Check(ctx, sallyport.InputRequest{Text: text})
		if checked.Blocked || checked.NeedsApproval {
			return checked.ToUserError()
		}
		safe = checked.Text
		return nil
	})
	if err := g.Wait(); err != nil {
		return err
	}
	a.ask(ctx, safe)
`,
      '',
    ],
    [
      'a function that is deferred and does something else',
      `	start := time.Now()
	defer func() { fmt.Fprintln(os.Stderr, time.Since(start)) }()
${check}	a.ask(ctx, checked.Text)
`,
      '',
    ],
    [
      'a loop over texts',
      `	for _, line := range strings.Split(text, "\\n") {
		checked := a.guard.Input.Check(ctx, sallyport.InputRequest{Text: line})
		if checked.Blocked || checked.NeedsApproval {
			continue
		}
		a.ask(ctx, checked.Text)
	}
`,
      '',
    ],
    [
      'what a struct holds',
      `	turn := struct{ prompt string }{}
${check}	turn.prompt = checked.Text
	a.ask(ctx, turn.prompt)
`,
      '',
    ],
  ])('%s', async (_name, body, more) => {
    const result = await agent(body, more);
    expect([result.broken, violated(result), result.models]).toEqual([[], [], 1]);
    const proved = Object.fromEntries(result.answers.map(({ rule, proved }) => [rule, proved]));
    if (body.includes('text')) expect(proved['AG-IN-2']).toBeGreaterThan(0);
  });
});

it('follows a function in a record that another function gives', async () => {
  const text = `package main
import ("github.com/openai/openai-go"; "github.com/spf13/cobra")
func ask(client openai.Client) *cobra.Command {
	return &cobra.Command{Use: "ask", RunE: func(cmd *cobra.Command, args []string) error {
		_, err := client.Responses.New(cmd.Context(), openai.ResponseNewParams{Input: args[0]})
		return err
	}}
}
func main() { ask(openai.NewClient()).Execute() }
`;
  const result = await auditFiles({ 'main.go': text });
  expect([result.models, rulesOf(result)]).toEqual([1, ['AG-IN-1', 'AG-IN-2']]);
});

/** The line of `a.Run` where the body of a case begins. */
const first = head.split('\n').length;

describe('a guard that is there and does not hold in Go', () => {
  it.each([
    ['there is none', '\ta.ask(ctx, text)\n'],
    ['it is in a comment', `${check.replaceAll(/^\t/gm, '\t// ')}\ta.ask(ctx, text)\n`],
    ['the raw text goes on', `${check}\ta.ask(ctx, text)\n`, ['AG-IN-2']],
    ['it comes after the model', `\ta.ask(ctx, text)\n${check}`],
    [
      'it is deferred',
      '\tdefer a.guard.Input.Check(ctx, sallyport.InputRequest{Text: text})\n\ta.ask(ctx, text)\n',
    ],
    ['it stands in one branch', `\tif a.settings["strict"] {\n${check}\t}\n\ta.ask(ctx, text)\n`],
    ['it stands behind a setting', `\tif os.Getenv("CHECK") == "on" {\n${check}\t}\n\ta.ask(ctx, text)\n`],
    ['it stands in a loop that may not run', `\tfor range a.settings {\n${check}\t}\n\ta.ask(ctx, text)\n`],
    ['it stands in a branch that is never taken', `\tif false {\n${check}\t}\n\ta.ask(ctx, text)\n`],
    [
      'it stands in a function that nobody calls',
      `\tverify := func() error {\n${check}\t\treturn nil\n\t}\n\t_ = verify\n\ta.ask(ctx, text)\n`,
    ],
    [
      'its result is thrown away',
      '\t_ = a.guard.Input.Check(ctx, sallyport.InputRequest{Text: text})\n\ta.ask(ctx, text)\n',
    ],
    [
      'its result is only logged',
      `${check.replace('return checked.ToUserError()', 'fmt.Fprintln(os.Stderr, "held back")')}\ta.ask(ctx, text)\n`,
    ],
    [
      'its result is turned round',
      `${check.replace('checked.Blocked || checked.NeedsApproval', '!checked.Blocked')}\ta.ask(ctx, text)\n`,
    ],
    ['both are asked for instead of either', `${check.replace('||', '&&')}\ta.ask(ctx, text)\n`],
    [
      'another result is looked at',
      `\tearlier := sallyport.TextCheck{}\n${check.replace('if checked.Blocked || checked.NeedsApproval', 'if earlier.Blocked || earlier.NeedsApproval')}\ta.ask(ctx, text)\n`,
    ],
    ['it is on another text', `${check.replace('Text: text', 'Text: "a fixed text"')}\ta.ask(ctx, text)\n`],
    ['it is on a part of the text', `${check.replace('Text: text', 'Text: text[:200]')}\ta.ask(ctx, text)\n`],
    ['a helper gives an error that nobody looks at', '\ta.screen(ctx, text)\n\ta.ask(ctx, text)\n'],
    ['the error of a helper is thrown away', '\t_, _ = a.screen(ctx, text)\n\ta.ask(ctx, text)\n'],
    [
      'the error of a helper is only logged',
      '\tif _, err := a.screen(ctx, text); err != nil {\n\t\tfmt.Fprintln(os.Stderr, err)\n\t}\n\ta.ask(ctx, text)\n',
    ],
    [
      'the error of a helper is turned round',
      '\tif _, err := a.screen(ctx, text); err == nil {\n\t\treturn nil\n\t}\n\ta.ask(ctx, text)\n',
    ],
    [
      'the error is that of something else',
      '\t_, _ = a.screen(ctx, text)\n\tif err := ctx.Err(); err != nil {\n\t\treturn err\n\t}\n\ta.ask(ctx, text)\n',
    ],
    [
      'a failure falls back to the raw text',
      '\tsafe, err := a.screen(ctx, text)\n\tif err != nil {\n\t\tsafe = text\n\t}\n\ta.ask(ctx, safe)\n',
    ],
    [
      'a goroutine that nobody waits for',
      `	go func() {
		checked := a.guard.Input.Check(ctx, sallyport.InputRequest{Text: text})
		if checked.Blocked || checked.NeedsApproval {
			os.Exit(1)
		}
	}()
	a.ask(ctx, text)
`,
    ],
    [
      'a goroutine that is waited for too late',
      `	var checked sallyport.TextCheck
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		checked = a.guard.Input.Check(ctx, sallyport.InputRequest{Text: text})
	}()
	if checked.Blocked || checked.NeedsApproval {
		return checked.ToUserError()
	}
	a.ask(ctx, text)
	wg.Wait()
`,
    ],
    [
      'a group whose error is thrown away',
      `	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		_, err := a.screen(ctx, text)
		return err
	})
	_ = g.Wait()
	a.ask(ctx, text)
`,
    ],
    [
      'a clock that passes wins the race',
      `	results := make(chan sallyport.TextCheck, 1)
	go func() { results <- a.guard.Input.Check(ctx, sallyport.InputRequest{Text: text}) }()
	var checked sallyport.TextCheck
	select {
	case checked = <-results:
	case <-time.After(50 * time.Millisecond):
	}
	if checked.Blocked || checked.NeedsApproval {
		return checked.ToUserError()
	}
	a.ask(ctx, text)
`,
    ],
    [
      'it is called only if there is one',
      `	if a.guard != nil {
${check}	}
	a.ask(ctx, text)
`,
    ],
    [
      'a shortcut goes past it',
      `	if a.settings["quick"] {
		a.ask(ctx, text)
		return nil
	}
${check}	a.ask(ctx, checked.Text)
`,
    ],
    [
      'something else has its name',
      `	a2 := fake{}
	checked := a2.Input.Check(ctx, text)
	if checked.Blocked {
		return errors.New("blocked")
	}
	a.ask(ctx, text)
`,
      ['AG-IN-1', 'AG-IN-2'],
      `
type fakeResult struct{ Blocked, NeedsApproval bool; Text string }
type fakeInput struct{}
func (fakeInput) Check(ctx context.Context, text string) fakeResult { return fakeResult{Text: text} }
type fake struct{ Input fakeInput }
`,
    ],
    [
      'a panic is recovered from, and the raw text goes on',
      `	func() {
		defer func() { recover() }()
		a.detector.MustPass(text)
	}()
	a.ask(ctx, text)
`,
    ],
    ['an error of a detector is thrown away', '\t_ = a.detector.EnsureSafe(ctx, text)\n\ta.ask(ctx, text)\n'],
    [
      'the answer of a detector is thrown away',
      '\t_, err := a.detector.Scan(ctx, text)\n\tif err != nil {\n\t\treturn err\n\t}\n\ta.ask(ctx, text)\n',
    ],
  ])('%s', async (_name, body, wanted: readonly string[] = ['AG-IN-1', 'AG-IN-2'], more = '') => {
    const result = await agent(body, `${body.includes('screen') ? screen : ''}${more}`);
    expect([result.broken, rulesOf(result)]).toEqual([[], wanted]);
    const lines = violated(result).map((found) => Number(found.split(':')[1]) - first);
    const size = body.split('\n').length;
    for (const line of lines) expect(line >= -12 && line <= size + 30).toBe(true);
  });
});
