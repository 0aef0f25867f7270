// The official TypeScript SDK 2 as a server of skills, for our host.
//
// Usage: typescript_server.mjs FOLDER [PORT]
// Serves the skills in FOLDER with the SDK's own reader, on the standard streams or on a port.

import { createServer } from "node:http";
import { Readable } from "node:stream";
import { McpServer, createMcpHandler } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { loadSkills } from "@modelcontextprotocol/server/ext/skills/node";

const [folder, port] = process.argv.slice(2);
// A skill that its reader does not take is left out, with a word.
const skills = await loadSkills(folder, {
  onWarning: (warning) => console.error(JSON.stringify(warning)),
});
const make = () => {
  const server = new McpServer({ name: "typescript-skills", version: "1.0.0" }, {});
  skills.attach(server);
  return server;
};

if (port === undefined) {
  serveStdio(make);
} else {
  const handler = createMcpHandler(make);
  createServer(async (request, response) => {
    const body = request.method === "POST" ? { body: Readable.toWeb(request), duplex: "half" } : {};
    const asked = new Request(`http://${request.headers.host}${request.url}`, {
      method: request.method,
      headers: request.headers,
      ...body,
    });
    const answer = await handler.fetch(asked);
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body === null) response.end();
    else Readable.fromWeb(answer.body).pipe(response);
  }).listen(Number(port), "127.0.0.1");
}
