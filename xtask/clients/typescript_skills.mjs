// The skills client of the official TypeScript SDK 2, with its defaults, against `prowess serve`.
//
// Usage: typescript_skills.mjs MODE TARGET...
// MODE is `auto` or `legacy`, TARGET an address or a command. By default the client throws for the
// whole list if it does not take one entry. Every skill is then read with all its files, which the
// client verifies by size, digest and frontmatter. Prints `ok` and what it read.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { SkillsClient } from "@modelcontextprotocol/client/ext/skills";

const [mode, ...target] = process.argv.slice(2);
const transport = target[0].startsWith("http")
  ? new StreamableHTTPClientTransport(new URL(target[0]))
  : new StdioClientTransport({ command: target[0], args: target.slice(1), stderr: "ignore" });
const client = new Client(
  { name: "typescript-skills", version: "1.0.0" },
  { versionNegotiation: { mode } },
);
await client.connect(transport);
const skills = new SkillsClient(client);
const listed = (await skills.list()).skills;
let files = 0;
for (const skill of listed) {
  const got = await skills.get(skill.uri);
  if (got.skill.uri !== skill.uri) throw new Error(`another skill than ${skill.uri}`);
  const own = await skills.read(skill);
  if (!own.verified) throw new Error(`${skill.uri} is not verified`);
  for (const { uri } of skill.resources) {
    await skills.read(skill, uri);
    files += 1;
  }
}
await client.close();
console.log(`ok ${listed.length} skills, ${files} files`);
process.exit(0);
