"""fastmcp as a server of skills, for our host.

Usage: fastmcp_skills_server.py FOLDER [PORT]
Serves the skills in FOLDER with fastmcp's own reader, on the standard streams or on a port.
"""

import sys

from fastmcp import FastMCP
from fastmcp.server.providers.skills import SkillsDirectoryProvider
from fastmcp.skills.extension import SkillsExtension

provider = SkillsDirectoryProvider(roots=[sys.argv[1]], experimental_skills=True)
server = FastMCP("fastmcp-skills", providers=[provider])
server.add_extension(SkillsExtension(providers=[provider]))
if len(sys.argv) > 2:
    server.run(
        transport="http",
        host="127.0.0.1",
        port=int(sys.argv[2]),
        show_banner=False,
        log_level="ERROR",
    )
else:
    server.run(show_banner=False, log_level="ERROR")
