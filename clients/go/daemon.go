package sallyport

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// largestAnswer is how much of an answer is read, in bytes.
var largestAnswer int64 = 64 << 20

// refusal says why there is no verdict. Its text may be shown.
type refusal struct {
	message string
	hint    string
}

func (r *refusal) Error() string { return r.message }

// daemon is where a daemon listens, and the credential that it knows the caller by.
type daemon struct {
	base      string
	token     string
	tokenFile string
	client    *http.Client
}

func newDaemon(options Options) (*daemon, error) {
	if options.URL != "" && options.Socket != "" {
		return nil, errors.New("a daemon is named by URL or by Socket, not by both")
	}
	home := options.Home
	if home == "" {
		home = os.Getenv("SALLYPORT_HOME")
	}
	if home == "" {
		own, err := os.UserHomeDir()
		if err != nil {
			return nil, err
		}
		home = filepath.Join(own, ".sallyport")
	}
	// Without the proxy of the environment, which must not see what is asked; and a connection that is kept may be
	// closed under a request.
	transport := &http.Transport{DisableKeepAlives: true}
	base := options.URL
	if base == "" {
		base = "http://localhost"
		socket := options.Socket
		if socket == "" {
			socket = filepath.Join(home, "run", "sallyport.sock")
		}
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", socket)
		}
	} else if !isLoopback(base) {
		return nil, errors.New("the URL of a daemon is http://127.0.0.1:PORT or http://localhost:PORT")
	}
	timeout := options.Timeout
	if timeout == 0 {
		timeout = 30 * time.Second
	}
	return &daemon{
		base:      strings.TrimSuffix(base, "/"),
		token:     options.Token,
		tokenFile: filepath.Join(home, "keys", "decide.token"),
		client: &http.Client{
			Transport: transport,
			Timeout:   timeout,
			CheckRedirect: func(*http.Request, []*http.Request) error {
				return http.ErrUseLastResponse
			},
		},
	}, nil
}

// isLoopback tells whether a URL is one of this machine: a credential must not go anywhere else.
func isLoopback(base string) bool {
	parts, err := url.Parse(base)
	if err != nil || parts.Scheme != "http" || parts.User != nil || parts.Port() == "" {
		return false
	}
	if parts.RawQuery != "" || parts.Fragment != "" || (parts.Path != "" && parts.Path != "/") {
		return false
	}
	return parts.Hostname() == "127.0.0.1" || parts.Hostname() == "localhost"
}

// post asks the daemon and reads its answer; anything but the status 200 is an error.
func (d *daemon) post(ctx context.Context, path string, body, answer any) error {
	payload, err := json.Marshal(body)
	if err != nil {
		return &refusal{message: "what is asked cannot be written as JSON"}
	}
	token, err := d.credential()
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, d.base+path, bytes.NewReader(payload))
	if err != nil {
		return &refusal{message: "the request cannot be made"}
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	return d.do(request, answer)
}

func (d *daemon) do(request *http.Request, answer any) error {
	response, err := d.client.Do(request)
	if err != nil {
		return &refusal{message: "the daemon cannot be reached", hint: "see 'sallyport status'"}
	}
	defer response.Body.Close()
	content, err := io.ReadAll(io.LimitReader(response.Body, largestAnswer+1))
	if err != nil {
		return &refusal{message: "the answer of the daemon broke off"}
	}
	if int64(len(content)) > largestAnswer {
		return &refusal{message: "the answer of the daemon is too large"}
	}
	if response.StatusCode != http.StatusOK {
		return refusedBy(response.StatusCode, content)
	}
	if err := decode(content, answer); err != nil {
		return &refusal{message: "the daemon answered with what cannot be read"}
	}
	return nil
}

func refusedBy(status int, content []byte) error {
	said := Error{Error: "no reason"}
	if err := decode(content, &said); err != nil {
		return &refusal{message: fmt.Sprintf("no reason (status %d)", status)}
	}
	refused := &refusal{message: fmt.Sprintf("%s (status %d)", said.Error, status)}
	if said.Hint != nil {
		refused.hint = *said.Hint
	}
	return refused
}

// decode reads one JSON value that is all there is; numbers stay exact.
func decode(content []byte, value any) error {
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.UseNumber()
	if err := decoder.Decode(value); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the value")
	}
	return nil
}

func (d *daemon) credential() (string, error) {
	token := d.token
	if token == "" {
		content, err := os.ReadFile(d.tokenFile)
		if err != nil {
			return "", &refusal{message: "there is no credential", hint: "pass a token, or run 'sallyport up' once"}
		}
		token = strings.TrimSpace(string(content))
	}
	for _, letter := range token {
		if letter <= ' ' || letter > '~' {
			return "", &refusal{message: "the credential cannot be sent"}
		}
	}
	if token == "" {
		return "", &refusal{message: "the credential cannot be sent"}
	}
	return token, nil
}
