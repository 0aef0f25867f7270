// The official TypeScript SDK as a client of `prowess serve`.
//
// Usage: typescript_client.mjs FOLDER TARGET...
// FOLDER holds the skills that are served, TARGET is an address or a command. Prints `ok` and the
// number of checks. It also changes a skill and waits to be told.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  PromptListChangedNotificationSchema,
  ResourceListChangedNotificationSchema,
  ResultSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";

const [folder, ...target] = process.argv.slice(2);
const rich = "skill://a-rich-skill";
let checks = 0;

function check(fits, what) {
  checks += 1;
  if (!fits) {
    console.error(`failed: ${what}`);
    process.exit(1);
  }
}

const transport = target[0].startsWith("http")
  ? new StreamableHTTPClientTransport(new URL(target[0]))
  : new StdioClientTransport({ command: target[0], args: target.slice(1) });
const client = new Client({ name: "typescript-client", version: "1.0.0" });
const told = new Set();
for (const schema of [
  PromptListChangedNotificationSchema,
  ResourceListChangedNotificationSchema,
  ToolListChangedNotificationSchema,
]) {
  client.setNotificationHandler(schema, ({ method }) => void told.add(method));
}
await client.connect(transport);
const ask = (method, params) => client.request({ method, params }, ResultSchema.loose());
const refused = (method, params) => ask(method, params).then(() => 0, (error) => error.code);

const count = readdirSync(folder).length;
const { tools } = await client.listTools();
check(tools.length === 3, "three tools");
const hits = await client.callTool({
  name: "search_skills",
  arguments: { query: "holds one of everything" },
});
check(hits.structuredContent.matches[0].name === "a-rich-skill", "search finds it");
const loaded = await client.callTool({
  name: "open_skill",
  arguments: { skill_name: "a-rich-skill" },
});
check(loaded.content[0].text.includes("# Everything"), "load gives the instructions");
const read = await client.callTool({
  name: "read_skill_resource",
  arguments: { skill_name: "a-rich-skill", path: "references/guide.md" },
});
check(read.content[0].text === "# Guide\n", "read gives the file");
const { prompts } = await client.listPrompts();
check(prompts.length === count, "every skill is a prompt");
const got = await client.getPrompt({ name: "a-rich-skill", arguments: { arguments: "form.pdf" } });
check(got.messages[0].content.text.includes("form.pdf"), "a prompt takes its argument");
const { resources } = await client.listResources();
check(resources[0].uri === `${rich}/SKILL.md`, "resources are listed");
const { resourceTemplates } = await client.listResourceTemplates();
check(resourceTemplates.length === 1, "a template");
const completed = await client.complete({
  ref: { type: "ref/resource", uri: resourceTemplates[0].uriTemplate },
  argument: { name: "name", value: "a-" },
});
check(completed.completion.values[0] === "a-rich-skill", "names are completed");
await client.ping();

const { skill } = await ask("skills/get", { uri: `${rich}/SKILL.md` });
for (const row of skill.resources) {
  const { contents } = await client.readResource({ uri: row.uri });
  const bytes =
    contents[0].text === undefined
      ? Buffer.from(contents[0].blob, "base64")
      : Buffer.from(contents[0].text);
  check(bytes.length === row.size, `size of ${row.uri}`);
  const digest = createHash("sha256").update(bytes).digest("hex");
  check(`sha256:${digest}` === row.digest, `digest of ${row.uri}`);
}
const first = await ask("skills/list", {});
const second = await ask("skills/list", { cursor: first.nextCursor });
check(first.skills.length + second.skills.length === count, "two pages hold every skill");
const children = await ask("resources/directory/read", { uri: `${rich}/references` });
check(children.resources.length === 2, "a folder has its children");
check((await refused("skills/get", { uri: "skill://nobody/SKILL.md" })) === -32602, "unknown");

// A skill changes on disk; whoever listens is told which lists are different now.
const file = join(folder, "plain-000", "SKILL.md");
const text = readFileSync(file, "utf8");
writeFileSync(file, text.replace("Does the plain thing", "Now does the plain thing"));
const patience = Date.now() + 60_000;
while (told.size < 3 && Date.now() < patience) {
  await new Promise((wake) => setTimeout(wake, 20));
}
writeFileSync(file, text);
check(told.size === 3, `told of three lists, not only ${[...told]}`);
await client.close();
console.log(`ok ${checks}`);
process.exit(0);
