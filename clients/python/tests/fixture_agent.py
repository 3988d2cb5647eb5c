"""The client as an agent for `sallyport fixtures run`: a trial a line in, an outcome a line out.

Usage: fixture_agent.py sync|async URL|SOCKET TOKEN WORKSPACE
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any, Dict

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from sallyport import AsyncGuardrails, Guardrails  # noqa: E402
from sallyport._http import Daemon  # noqa: E402

WAY, PLACE, TOKEN, WORKSPACE = sys.argv[1:]
AT = {"url": PLACE} if PLACE.startswith("http:") else {"socket_path": PLACE}


async def judged(trial: Dict[str, Any]) -> Dict[str, Any]:
    said, given = trial["context"], trial["input"]
    # Over HTTP the credential says who asks; nobody has none.
    token = "nobody" if said["userId"] is None else TOKEN
    guard = (AsyncGuardrails if WAY == "async" else Guardrails)(**AT, token=token, timeout=120)
    context = {key: said[key] for key in ("agent", "permissionMode") if key in said}
    context["workspace"] = WORKSPACE

    async def done(result: Any) -> Any:
        return await result if asyncio.iscoroutine(result) else result

    if trial["layer"] == "input":
        content = {"content_base64" if key == "contentBase64" else key: given[key] for key in given if key != "kind"}
        if "chunks" in content:
            content["text"] = "".join(content.pop("chunks"))
        result = await done(guard.input.check(**content, context=context))
        outcome = {"text": result.text}
    elif "chunks" in given:
        stream = await done(guard.output.stream(context))
        shown = ""
        for chunk in given["chunks"]:
            shown += (await done(stream.push(chunk))).emit
        result = await done(stream.end())
        outcome = {"text": shown + result.emit}
    elif trial["layer"] == "output":
        result = await done(guard.output.check(given["text"], context))
        outcome = {"text": result.text}
    else:
        call = {"name": given["tool"], **{key: given[key] for key in given if key not in ("kind", "tool")}}
        result = await done(guard.tool.validate(call, context))
        outcome = {"arguments": result.arguments}
    if result.verdict is None:
        return {**outcome, "decision": "block"}
    entries = Daemon(**AT, token=token).get(f"/v1/log?decision_id={result.verdict['decisionId']}")["entries"]
    return {
        **outcome,
        "decision": result.verdict["decision"],
        "rules": [finding["rule"] for finding in result.verdict["findings"]],
        "events": [entry["event_type"] for entry in entries],
    }


for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps({"id": asked["id"], **asyncio.run(judged(asked))}), flush=True)
