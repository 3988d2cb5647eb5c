"""One turn of an agent: what goes in, what comes out and what is done pass the guard."""

from sallyport import Guardrails

guard = Guardrails()

asked = guard.input.check("My CPF is 529.982.247-25, is it valid?")  # sallyport:allow
if asked.blocked or asked.needs_approval:
    raise asked.to_user_error()
print("to the model:", asked.text)

answer = guard.output.stream()
shown = ""
for piece in ("The token is ghp", "_x7Qm2LzVb9Rk4Tn", "Wc8Jd5Hf3Gs6Yp1A", "w0EuN and that is all."):  # sallyport:allow
    shown += answer.push(piece).emit
end = answer.end()
print("to the user:", shown + end.emit)
if end.blocked:
    print("stopped by", end.to_user_error().rule)

call = guard.tool.validate({"name": "Bash", "arguments": {"command": "rm -rf /"}}, {"permissionMode": "auto"})
if call.blocked or call.needs_approval:
    print("not run:", call.to_user_error().rule)
else:
    print("run with", call.arguments)
