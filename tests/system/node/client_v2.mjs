// The walk of `@modelcontextprotocol/client`; MCP_MODE is legacy, auto or a revision to pin.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { walk } from "./walk.mjs";

const { MCP_URL, MCP_MODE } = process.env;
const mode = /^\d/.test(MCP_MODE) ? { pin: MCP_MODE } : MCP_MODE;

await walk(async (token) => {
  const client = new Client({ name: "system-test", version: "1" }, { versionNegotiation: { mode } });
  const headers = { Authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(MCP_URL), { requestInit: { headers } }));
  return client;
});
