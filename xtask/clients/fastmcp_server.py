"""A minimal server on fastmcp over a folder of skills, as the peer of `cargo xtask bench serve`.

Usage: fastmcp_server.py FOLDER PORT
Skills are served by fastmcp's own provider. It has no search, so one is added that is as cheap
as Python allows: an index of words made at the start. What is left is the cost of the server.
"""

import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

from fastmcp import FastMCP
from fastmcp.server.providers.skills import SkillsDirectoryProvider

folder, port = Path(sys.argv[1]), int(sys.argv[2])
server = FastMCP("peer")
server.add_provider(SkillsDirectoryProvider(roots=folder))

index: dict[str, list[str]] = defaultdict(list)
for skill in sorted(folder.iterdir()):
    head = (skill / "SKILL.md").read_text().split("---")[1]
    for word in set(re.findall(r"[a-z0-9]+", head.lower())):
        index[word].append(skill.name)


@server.tool
def search_skills(query: str, top_k: int = 5) -> list[str]:
    """Finds skills by the words of their frontmatter."""
    scores: Counter[str] = Counter()
    for word in re.findall(r"[a-z0-9]+", query.lower()):
        names = index.get(word, ())
        if 0 < len(names) < 1000:
            for name in names:
                scores[name] += 1 / len(names)
    return [name for name, _ in scores.most_common(top_k)]


server.run(
    transport="http",
    host="127.0.0.1",
    port=port,
    stateless_http=True,
    json_response=True,
    show_banner=False,
    log_level="ERROR",
    uvicorn_config={"access_log": False},
)
