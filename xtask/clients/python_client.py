"""The official Python SDK as a client of `prowess serve`.

Usage: python_client.py MODE FOLDER TARGET...
MODE is how the revision is agreed on (`legacy`, `auto` or a revision), FOLDER holds the skills
that are served, TARGET is an address or a command. Prints `ok` and the number of checks.
"""

import asyncio
import hashlib
import sys
from pathlib import Path
from typing import Any

from mcp import Client, MCPError, StdioServerParameters
from mcp.types import Request
from pydantic import TypeAdapter

MODE, FOLDER, TARGET = sys.argv[1], Path(sys.argv[2]), sys.argv[3:]
RICH = "skill://a-rich-skill"
checks = 0


def check(fits: bool, what: str) -> None:
    global checks
    checks += 1
    if not fits:
        sys.exit(f"failed: {what}")


async def ask(client: Client, method: str, params: dict[str, Any]) -> dict[str, Any]:
    """Sends a request of the Skills extension, which the SDK does not know."""
    request = Request[dict[str, Any], str](method=method, params=params)
    return await client.session.send_request(request, TypeAdapter(dict[str, Any]))


async def refused(client: Client, method: str, params: dict[str, Any]) -> int:
    try:
        await ask(client, method, params)
    except MCPError as error:
        return error.error.code
    return 0


async def skills(client: Client) -> None:
    found, cursor = [], None
    while True:
        page = await ask(client, "skills/list", {"cursor": cursor} if cursor else {})
        found += page["skills"]
        cursor = page.get("nextCursor")
        if cursor is None:
            break
    check(len(found) == len(list(FOLDER.iterdir())), "every skill is listed once")
    modern = MODE != "legacy"
    check(("ttlMs" in page) == modern, "only a modern result says how long it holds")
    entry = (await ask(client, "skills/get", {"uri": f"{RICH}/SKILL.md"}))["skill"]
    check(entry == found[0], "one entry is the same as the listed one")
    check(entry["frontmatter"]["x-quoted"] == "1.10", "quoted text stays text")
    for row in entry["resources"]:
        contents = (await client.read_resource(row["uri"])).contents[0]
        raw = getattr(contents, "text", None)
        if raw is None:
            import base64

            data = base64.b64decode(contents.blob)
        else:
            data = raw.encode()
        check(len(data) == row["size"], f"size of {row['uri']}")
        digest = "sha256:" + hashlib.sha256(data).hexdigest()
        check(digest == row["digest"], f"digest of {row['uri']}")
    children = await ask(client, "resources/directory/read", {"uri": RICH})
    kinds = {child["name"]: child["mimeType"] for child in children["resources"]}
    check(kinds["references"] == "inode/directory", "a folder is one")
    check(kinds["a-rich-skill"] == "text/markdown", "a skill's own file has its name")
    empty = await ask(client, "resources/directory/read", {"uri": f"{RICH}/empty"})
    check(empty["resources"] == [], "an empty folder is empty")
    for method, params in [
        ("skills/get", {"uri": "skill://nobody/SKILL.md"}),
        ("skills/list", {"cursor": "nonsense"}),
        ("resources/directory/read", {"uri": f"{RICH}/SKILL.md"}),
        ("resources/read", {"uri": f"{RICH}/../plain-001/SKILL.md"}),
        ("resources/read", {"uri": f"{RICH}/%2e%2e/plain-001/SKILL.md"}),
    ]:
        check(await refused(client, method, params) == -32602, f"{method} refuses {params}")


async def base(client: Client) -> None:
    tools = (await client.list_tools()).tools
    names = [tool.name for tool in tools]
    check(names == ["open_skill", "read_skill_resource", "search_skills"], "three tools")
    hits = await client.call_tool("search_skills", {"query": "holds one of everything"})
    check(hits.structured_content["matches"][0]["name"] == "a-rich-skill", "search finds it")
    loaded = await client.call_tool("open_skill", {"skill_name": "a-rich-skill"})
    check("# Everything" in loaded.content[0].text, "load gives the instructions")
    again = await client.call_tool("open_skill", {"skill_name": "a-rich-skill"})
    check("# Everything" in again.content[0].text, "and gives them again")
    read = {"skill_name": "a-rich-skill", "path": "references/guide.md"}
    check((await client.call_tool("read_skill_resource", read)).content[0].text == "# Guide\n", "read")
    wrong = await client.call_tool("open_skill", {"skill_name": "a-ritch-skill"})
    check(bool(wrong.is_error) and "a-rich-skill" in wrong.content[0].text, "a slip is told")
    prompts = {prompt.name: prompt for prompt in (await client.list_prompts()).prompts}
    check(len(prompts) == len(list(FOLDER.iterdir())), "every skill is a prompt")
    check(prompts["a-rich-skill"].arguments[0].description == "[file]", "with its argument")
    got = await client.get_prompt("a-rich-skill", {"arguments": "form.pdf"})
    text = got.messages[0].content.text
    check("form.pdf" in text and "# Everything" in text, "a prompt holds both")
    resources = (await client.list_resources()).resources
    check(resources[0].uri == f"{RICH}/SKILL.md", "resources are listed")
    templates = (await client.list_resource_templates()).resource_templates
    check(templates[0].uri_template == "skill://{name}/{+path}", "a template")
    check("search_skills" in (client.instructions or ""), "instructions")


async def main() -> None:
    target = TARGET[0] if TARGET[0].startswith("http") else None
    server = target or StdioServerParameters(command=TARGET[0], args=TARGET[1:])
    async with Client(server, mode=MODE, cache=None) as client:
        await base(client)
        await skills(client)
        print(f"ok {checks} {client.protocol_version}")


asyncio.run(main())
