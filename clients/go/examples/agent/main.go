// One turn of an agent: what goes in, what comes out and what is done pass the guard.
package main

import (
	"context"
	"fmt"
	"log"

	"sallyport"
)

func main() {
	ctx := context.Background()
	guard, err := sallyport.New(sallyport.Options{})
	if err != nil {
		log.Fatal(err)
	}

	text := "My CPF is 529.982.247-25, is it valid?" // sallyport:allow
	asked := guard.Input.Check(ctx, sallyport.InputRequest{Text: text})
	if asked.Blocked || asked.NeedsApproval {
		log.Fatal(asked.ToUserError())
	}
	fmt.Println("to the model:", asked.Text)

	answer := guard.Output.Stream(ctx, sallyport.CallContext{})
	shown := ""
	for _, piece := range []string{"The token is ghp", "_x7Qm2LzVb9Rk4Tn", "Wc8Jd5Hf3Gs6Yp1A", "w0EuN and that is all."} { // sallyport:allow
		shown += answer.Push(ctx, piece, "").Emit
	}
	end := answer.End(ctx)
	fmt.Println("to the user:", shown+end.Emit)
	if end.Blocked {
		fmt.Println("stopped by", end.ToUserError().Rule())
	}

	call := guard.Tool.Validate(ctx, sallyport.ValidateRequest{
		ToolCall: sallyport.ToolCall{Name: "Bash", Arguments: map[string]any{"command": "rm -rf /"}},
		Context:  sallyport.CallContext{PermissionMode: "auto"},
	})
	if call.Blocked || call.NeedsApproval {
		fmt.Println("not run:", call.ToUserError().Rule())
	} else {
		fmt.Println("run with", call.Arguments)
	}
}
