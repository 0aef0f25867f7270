"""fastmcp's client with its defaults, against `prowess serve`.

Usage: fastmcp_skills.py TARGET...
TARGET is an address or a command. The client refuses the whole list if it does not take one
entry. Every file is then read and compared with the entry. Prints `ok` and what it read.
"""

import asyncio
import base64
import hashlib
import sys

from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from fastmcp.skills import SkillsClientExtension

TARGET = sys.argv[1:]


async def main() -> None:
    address = TARGET[0] if TARGET[0].startswith("http") else None
    transport = address or StdioTransport(command=TARGET[0], args=TARGET[1:])
    async with Client(transport, extensions=[SkillsClientExtension()]) as client:
        skills = await client.list_skills()
        files = 0
        for skill in skills:
            for row in skill.resources:
                contents = (await client.read_resource(row.uri))[0]
                text = getattr(contents, "text", None)
                data = base64.b64decode(contents.blob) if text is None else text.encode()
                digest = "sha256:" + hashlib.sha256(data).hexdigest()
                if len(data) != row.size or digest != row.digest:
                    sys.exit(f"failed: {row.uri} is not what its entry says")
                files += 1
        print(f"ok {len(skills)} skills, {files} files")


asyncio.run(main())
