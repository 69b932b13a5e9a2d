"""Drives the binary on its demo plan with Python's fastmcp client, in both protocol generations.

    python fastmcp_client.py PATH/avenir-mcp        (needs fastmcp 4.x)

Every way of answering a question must give the status of the confirmation page, and a request state that was
tampered with or answered already must write nothing. Ends with a line that counts what passed.
"""

from __future__ import annotations

import asyncio
import sys

from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from mcp_types import ElicitResult

BINARY = sys.argv[1]
RESULTS: list[tuple[str, bool]] = []


def check(name: str, passed: bool, seen: object = None) -> None:
    RESULTS.append((name, passed))
    print(("ok   " if passed else "FAIL ") + name + ("" if passed else f": {seen!r}"))


def client(mode: str, answer: str | None, strict: bool = False) -> tuple[Client, list[str]]:
    asked: list[str] = []

    async def handler(message, _type, _params, _context):
        asked.append(message)
        if answer == "yes":
            return ElicitResult(action="accept", content={"value": True})
        if answer == "untick":
            return ElicitResult(action="accept", content={"value": False})
        return ElicitResult(action=answer)

    env = {"AVENIR_MCP_WRITE": "1"} | ({"AVENIR_MCP_REQUIRE_ELICITATION": "1"} if strict else {})
    transport = StdioTransport(BINARY, ["--demo"], env=env, keep_alive=False)
    extra = {} if answer is None else {"elicitation_handler": handler}
    return Client(transport, mode=mode, **extra), asked


async def assignments(session) -> list[dict]:
    """Two payments that wait, each given what is suggested, else the first category there is."""
    found = (await session.call_tool("suggest_categories", {"plan_id": "last-used"})).structured_content
    items = [i for i in found["items"] if i["amount"] < 0 and not i["possible_transfer_with"]][:2]
    assert len(items) == 2, "nothing waits on the demo plan"
    first = found["categories"][0]["category_id"]
    return [{"transaction_id": i["transaction_id"], "category_id": (i["suggestion"] or {}).get("category_id", first)}
            for i in items]  # fmt: skip


async def waiting(session) -> int:
    return (await session.call_tool("suggest_categories", {"plan_id": "last-used"})).structured_content["pending_count"]


async def answers(mode: str) -> None:
    wanted = {"yes": "applied", "untick": "declined", "decline": "declined",
              "cancel": "confirmation_required", None: "confirmation_required"}  # fmt: skip
    for answer, status in wanted.items():
        session, asked = client(mode, answer)
        async with session:
            before = await waiting(session)
            arguments = {"plan_id": "last-used", "assignments": await assignments(session)}
            given = (await session.call_tool("apply_categories", arguments)).structured_content
            check(f"{mode} {answer or 'no handler'}: {status}", given["status"] == status, given)
            check(f"{mode} {answer or 'no handler'}: asked", len(asked) == (answer is not None), asked)
            changed = before - await waiting(session)
            check(f"{mode} {answer or 'no handler'}: written or not", changed == (2 if status == "applied" else 0), changed)
            if status == "confirmation_required":
                code = arguments | {"confirmation": given["confirmation"]}
                applied = (await session.call_tool("apply_categories", code)).structured_content
                check(f"{mode} {answer or 'no handler'}: applied by its code", applied["status"] == "applied", applied)
                again = await session.call_tool("apply_categories", code, raise_on_error=False)
                # What was applied is there: the code is refused, or there is nothing left to do. It never writes again.
                over = again.is_error or again.structured_content["status"] == "nothing_to_do"
                check(f"{mode} {answer or 'no handler'}: a code works once", over, again)
            if status == "applied":
                undone = (await session.call_tool("undo_operation", {"plan_id": "last-used"})).structured_content
                check(f"{mode} {answer}: undone", undone["status"] == "applied" and await waiting(session) == before, undone)


async def strict(mode: str) -> None:
    for answer, status in {"yes": "applied", "cancel": "declined", None: "error"}.items():
        session, _ = client(mode, answer, strict=True)
        async with session:
            arguments = {"plan_id": "last-used", "assignments": await assignments(session)}
            given = await session.call_tool("apply_categories", arguments, raise_on_error=False)
            seen = "error" if given.is_error else given.structured_content["status"]
            check(f"{mode} strict {answer or 'no handler'}: {status}", seen == status, given)


async def state() -> None:
    """Raw rounds of 2026-07-28: the state is tampered with, moved to other arguments, replayed."""
    session, _ = client("2026-07-28", "yes")
    async with session:
        changes = await assignments(session)
        arguments = {"plan_id": "last-used", "assignments": changes}
        yes = {"confirm": {"action": "accept", "content": {"value": True}}}

        async def round_trip(given: dict, responses: dict | None = None, request_state: str | None = None):
            return await session.session.call_tool("apply_categories", given, input_responses=responses,
                                                   request_state=request_state, allow_input_required=True)  # fmt: skip

        async def refused(name: str, given: dict, request_state: str) -> None:
            try:
                result = await round_trip(given, yes, request_state)
                check(name, False, result)
            except Exception as error:  # noqa: BLE001 - a protocol error is what is wanted
                check(name, "McpError" in type(error).__name__ or "MCPError" in type(error).__name__, error)

        before = await waiting(session)
        first = await round_trip(arguments)
        token = first.request_state
        await refused("a tampered state is refused", arguments, token[:-2] + ("AA" if token[-2:] != "AA" else "BB"))
        await refused("a state does not fit other arguments", {**arguments, "assignments": changes[:1]}, token)
        check("nothing was written by either", await waiting(session) == before)
        applied = await round_trip(arguments, yes, token)
        check("the true state is answered", applied.structured_content["status"] == "applied", applied)
        undone = (await session.call_tool("undo_operation", {"plan_id": "last-used"})).structured_content
        check("and undone", undone["status"] == "applied", undone)
        await refused("a replayed state is refused", arguments, token)
        check("nothing was written by the replay", await waiting(session) == before)


async def main() -> None:
    for mode in ("legacy", "2026-07-28"):
        session, _ = client(mode, "yes")
        async with session:
            tools = await session.list_tools()
            check(f"{mode}: tools are listed", {"list_plans", "apply_categories", "undo_operation"} <= {t.name for t in tools})
            check(f"{mode}: resources are read", bool((await session.read_resource("avenir-mcp://guide"))[0].text))
            check(f"{mode}: prompts are listed", len(await session.list_prompts()) == 4)
        await answers(mode)
        await strict(mode)
    await state()
    failed = sum(not passed for _, passed in RESULTS)
    print(f"{len(RESULTS) - failed} passed, {failed} failed")
    sys.exit(failed > 0)


asyncio.run(main())
