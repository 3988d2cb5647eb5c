"""The same guardrails for asyncio: each call waits in a thread of its own."""

import asyncio
from typing import Any, Mapping, Optional

from ._client import CallContext, DecisionStream, Guardrails, StreamEnd, StreamPiece, TextCheck, Validation


class AsyncDecisionStream:
    """A stream whose pieces are pushed one after the other, in the order in which they are awaited."""

    def __init__(self, stream: DecisionStream) -> None:
        self._stream = stream
        self._turn = asyncio.Lock()

    @property
    def decision_id(self) -> str:
        return self._stream.decision_id

    @property
    def blocked(self) -> bool:
        return self._stream.blocked

    async def push(self, piece: str, channel: str = "") -> StreamPiece:
        async with self._turn:
            return await asyncio.to_thread(self._stream.push, piece, channel)

    async def finish(self, channel: str = "") -> StreamPiece:
        async with self._turn:
            return await asyncio.to_thread(self._stream.finish, channel)

    async def stop(self, why: str) -> None:
        async with self._turn:
            await asyncio.to_thread(self._stream.stop, why)

    async def end(self) -> StreamEnd:
        async with self._turn:
            return await asyncio.to_thread(self._stream.end)


class _Input:
    def __init__(self, guard: Guardrails) -> None:
        self._guard = guard

    async def check(
        self,
        text: Optional[str] = None,
        content_base64: Optional[str] = None,
        origin: Optional[str] = None,
        name: Optional[str] = None,
        context: Optional[CallContext] = None,
    ) -> TextCheck:
        return await asyncio.to_thread(self._guard.input.check, text, content_base64, origin, name, context)


class _Output:
    def __init__(self, guard: Guardrails) -> None:
        self._guard = guard

    async def check(self, text: str, context: Optional[CallContext] = None) -> TextCheck:
        return await asyncio.to_thread(self._guard.output.check, text, context)

    async def stream(self, context: Optional[CallContext] = None) -> AsyncDecisionStream:
        return AsyncDecisionStream(await asyncio.to_thread(self._guard.output.stream, context))


class _Tool:
    def __init__(self, guard: Guardrails) -> None:
        self._guard = guard

    async def validate(self, tool_call: Mapping[str, Any], context: Optional[CallContext] = None) -> Validation:
        return await asyncio.to_thread(self._guard.tool.validate, tool_call, context)


class AsyncGuardrails:
    """The guardrails of a daemon, named as in `Guardrails`."""

    def __init__(
        self,
        url: Optional[str] = None,
        socket_path: Optional[str] = None,
        token: Optional[str] = None,
        home: Optional[str] = None,
        timeout: float = 30.0,
    ) -> None:
        guard = Guardrails(url, socket_path, token, home, timeout)
        self.input = _Input(guard)
        self.output = _Output(guard)
        self.tool = _Tool(guard)
