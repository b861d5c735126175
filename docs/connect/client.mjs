// Connect by OAuth with the official TypeScript client, remember something and find it again.
//
//     npm install @modelcontextprotocol/client
//     node client.mjs http://127.0.0.1:8300/mcp
//
// It prints the address of the login, which you open in a browser. Nothing is kept: each run asks anew, and all runs of
// one registration are one connected app. A real program keeps what `save…` is given.
import { createServer } from "node:http";
import { once } from "node:events";
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from "@modelcontextprotocol/client";

const url = new URL(process.argv[2]);
const server = createServer().listen(0, "127.0.0.1");
await once(server, "listening");
const redirectUrl = `http://127.0.0.1:${server.address().port}/callback`;

const kept = {};
const provider = {
  redirectUrl,
  clientMetadata: { client_name: "My program", redirect_uris: [redirectUrl], token_endpoint_auth_method: "none" },
  clientInformation: () => kept.client,
  saveClientInformation: (client) => { kept.client = client; },
  tokens: () => kept.tokens,
  saveTokens: (tokens) => { kept.tokens = tokens; },
  discoveryState: () => kept.discovery,
  saveDiscoveryState: (state) => { kept.discovery = state; },
  codeVerifier: () => kept.verifier,
  saveCodeVerifier: (verifier) => { kept.verifier = verifier; },
  redirectToAuthorization: (address) => { console.log("open", address.href); },
};

const connect = async () => {
  const client = new Client({ name: "my-program", version: "1" }, { versionNegotiation: { mode: "auto" } });
  const transport = new StreamableHTTPClientTransport(url, { authProvider: provider });
  try {
    await client.connect(transport);
    return client;
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error;
  }
  let query;
  do {
    const [request, response] = await once(server, "request");
    query = new URL(request.url, redirectUrl).searchParams;
    response.end("You can close this page.");
  } while (!query.has("code") && !query.has("error"));
  if (query.has("error")) throw new Error(`refused: ${query.get("error")}`);
  await transport.finishAuth(query);
  return connect();
};

const client = await connect();
const content = "Olga drinks black coffee after lunch.";
const remembered = await client.callTool({
  name: "remember",
  arguments: { memoryType: "preference", topic: "Coffee", content },
});
// The second run is told that it is known already.
console.log("remember:", remembered.isError ? remembered.content[0].text : "ok");
const found = await client.callTool({ name: "search", arguments: { query: "what does Olga drink after lunch?" } });
console.log("search:", found.structuredContent.hits[0].content);
await client.close();
server.close();
server.closeAllConnections();
