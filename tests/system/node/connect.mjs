// An official TypeScript client that connects by a login, and what became of it, as one JSON object.
//
// CLIENT_GENERATION is v1 or v2. Whenever a person has to log in, a line {"open": URL} goes to stdout and the query of the
// callback is awaited on stdin.
import { createInterface } from "node:readline";

const { MCP_URL, REDIRECT_URI, CLIENT_GENERATION, CLIENT_METADATA_URL } = process.env;
const say = (message) => console.log(JSON.stringify(message));
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

const { Client, StreamableHTTPClientTransport } =
  CLIENT_GENERATION === "v2"
    ? await import("@modelcontextprotocol/client")
    : {
        ...(await import("@modelcontextprotocol/sdk/client/index.js")),
        ...(await import("@modelcontextprotocol/sdk/client/streamableHttp.js")),
      };

class Provider {
  redirectUrl = REDIRECT_URI;
  clientMetadataUrl = CLIENT_METADATA_URL || undefined;
  clientMetadata = {
    client_name: `TypeScript ${CLIENT_GENERATION}`,
    redirect_uris: [REDIRECT_URI],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
  asked = 0;
  kept = {};

  clientInformation() {
    return this.kept.client;
  }
  saveClientInformation(client) {
    this.kept.client = client;
  }
  tokens() {
    return this.kept.tokens;
  }
  saveTokens(tokens) {
    this.kept.tokens = tokens;
  }
  saveCodeVerifier(verifier) {
    this.kept.verifier = verifier;
  }
  codeVerifier() {
    return this.kept.verifier;
  }
  redirectToAuthorization(url) {
    this.asked += 1;
    this.url = url;
  }
}

const provider = new Provider();
const connect = async () => {
  const client = new Client({ name: "connect-test", version: "1" });
  const transport = new StreamableHTTPClientTransport(new URL(MCP_URL), { authProvider: provider });
  try {
    await client.connect(transport);
  } catch (error) {
    return { transport, error };
  }
  return { client, transport };
};
const isError = async ({ client }) =>
  Boolean((await client.callTool({ name: "search", arguments: { query: "first connection" } })).isError);

const first = await connect();
say({ open: provider.url.href });
const answer = new URLSearchParams((await lines.next()).value);
await first.transport.finishAuth(answer.get("code"), answer.get("iss"));
const connected = await connect();
const seen = { clientId: provider.kept.client.client_id, calls: [await isError(connected)] };

// An access token that opens nothing: the client refreshes by itself.
const { access_token: before, refresh_token: refresh } = provider.kept.tokens;
provider.kept.tokens = { ...provider.kept.tokens, access_token: `${before.slice(0, -4)}AAAA` };
seen.calls.push(await isError(connected));
seen.refreshed = ![before, `${before.slice(0, -4)}AAAA`].includes(provider.kept.tokens.access_token);
seen.rotated = provider.kept.tokens.refresh_token !== refresh;
seen.asked = provider.asked;

const metadata = await (await fetch(new URL("/.well-known/oauth-authorization-server", provider.url))).json();
const body = new URLSearchParams({ token: provider.kept.tokens.refresh_token, client_id: seen.clientId });
seen.revoked = (await fetch(metadata.revocation_endpoint, { method: "POST", body })).status;
seen.afterwards = await isError(connected).then(
  () => "open",
  () => "closed",
);
say(seen);
process.exit(0);
