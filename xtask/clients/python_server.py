"""The official Python SDK as a server of skills, for our host.

Usage: python_server.py FOLDER [PORT]
The SDK knows no skills of itself, so the methods of the extension are added by hand: every folder
with a `SKILL.md` whose frontmatter PyYAML reads is a skill.
"""

import asyncio
import base64
import hashlib
import json
import re
import sys
from pathlib import Path
from typing import Any
from urllib.parse import quote

import mcp.types as types
import yaml
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

ROOT = Path(sys.argv[1])
EXTENSION = "io.modelcontextprotocol/skills"
files: dict[str, Path] = {}
entries: list[dict[str, Any]] = []

for folder in sorted(ROOT.iterdir()):
    try:
        text = (folder / "SKILL.md").read_bytes().decode("utf-8-sig")
        found = re.match(r"---\r?\n(.*?\n)---(\r?\n|$)", text, re.DOTALL)
        fields = yaml.safe_load(found.group(1))
        name = fields["name"]
        # Without aliases, and equal to what JSON makes of it: only text for keys, no days.
        aliases = [it for it in yaml.parse(found.group(1)) if isinstance(it, yaml.AliasEvent)]
        if aliases or json.loads(json.dumps(fields, allow_nan=False)) != fields:
            raise ValueError("JSON cannot hold it")
    except Exception as error:  # what a strict reader refuses is not served
        print(f"{folder.name}: {error}", file=sys.stderr)
        continue
    rows = []
    for path in sorted(it for it in folder.rglob("*") if it.is_file()):
        data = path.read_bytes()
        uri = f"skill://{quote(name)}/{quote(path.relative_to(folder).as_posix())}"
        files[uri] = path
        rows.append({
            "uri": uri,
            "digest": "sha256:" + hashlib.sha256(data).hexdigest(),
            "size": len(data),
        })
    uri = f"skill://{quote(name)}/SKILL.md"
    entries.append({"uri": uri, "frontmatter": fields, "resources": rows})


class Found(types.Result):
    model_config = {"extra": "allow"}


class Asked(types.RequestParams):
    uri: str = ""
    cursor: str | None = None


def found(**fields: Any) -> Found:
    return Found.model_validate(fields | {"ttlMs": 0, "cacheScope": "private"})


async def list_skills(context: Any, asked: Asked) -> Found:
    start = int(asked.cursor or 0)
    more = {"nextCursor": str(start + 10)} if start + 10 < len(entries) else {}
    return found(skills=entries[start : start + 10], **more)


async def get_skill(context: Any, asked: Asked) -> Found:
    return found(skill=next(it for it in entries if it["uri"] == asked.uri))


async def read(context: Any, asked: types.ReadResourceRequestParams) -> types.ReadResourceResult:
    data = files[str(asked.uri)].read_bytes()
    try:
        part: Any = types.TextResourceContents(uri=asked.uri, text=data.decode())
    except UnicodeDecodeError:
        blob = base64.b64encode(data).decode()
        part = types.BlobResourceContents(uri=asked.uri, blob=blob)
    return types.ReadResourceResult(contents=[part])


async def resources(context: Any, asked: Any) -> types.ListResourcesResult:
    return types.ListResourcesResult(resources=[])


server: Any = Server("python-skills", on_list_resources=resources, on_read_resource=read)
server.extensions[EXTENSION] = {}
server.add_request_handler("skills/list", Asked, list_skills)
server.add_request_handler("skills/get", Asked, get_skill)


async def main() -> None:
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


if len(sys.argv) > 2:
    import uvicorn

    app = server.streamable_http_app()
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[2]), log_level="error")
else:
    asyncio.run(main())
