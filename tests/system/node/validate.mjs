// Calls every tool with `@modelcontextprotocol/client`, which checks answers against the catalogue it has cached.
// MCP_ANSWERS: `today` as they come, `tomorrow` with one more member everywhere and new words for closed values,
// `closed` the same for a client whose cached catalogue is closed.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const { MCP_URL, MCP_TOKEN, MCP_MODE, MCP_ANSWERS, MCP_MARKER } = process.env;
const mode = /^\d/.test(MCP_MODE) ? { pin: MCP_MODE } : MCP_MODE;
const CLOSED_VALUES = new Set(["memoryType", "status", "embedded", "vector", "lexical", "kind", "mode", "edgeType"]);

function evolved(value, name) {
  if (Array.isArray(value)) return value.map((item) => evolved(item, name));
  if (value === null || typeof value !== "object") return CLOSED_VALUES.has(name) ? "of-tomorrow" : value;
  const members = Object.entries(value).map(([key, member]) => [key, evolved(member, key)]);
  const isCount = members.length > 0 && members.every(([, member]) => Number.isInteger(member));
  return { ...Object.fromEntries(members), addedTomorrow: isCount ? 1 : true };
}

async function changing(url, options) {
  const answer = await fetch(url, options);
  if (MCP_ANSWERS === "today" || !answer.headers.get("content-type")?.includes("application/json")) return answer;
  const body = await answer.json();
  const result = body.result ?? {};
  if (result.structuredContent) result.structuredContent = evolved(result.structuredContent);
  if (MCP_ANSWERS === "closed") for (const tool of result.tools ?? []) tool.outputSchema.additionalProperties = false;
  return new Response(JSON.stringify(body), { status: answer.status, headers: { "content-type": "application/json" } });
}

const client = new Client({ name: "system-test", version: "1" }, { versionNegotiation: { mode } });
const headers = { Authorization: `Bearer ${MCP_TOKEN}` };
await client.connect(new StreamableHTTPClientTransport(new URL(MCP_URL), { requestInit: { headers }, fetch: changing }));
await client.listTools();

const called = new Set();
const refused = [];
async function call(name, args) {
  called.add(name);
  try {
    const result = await client.callTool({ name, arguments: args });
    if (result.isError) throw new Error(result.content[0].text);
    return result.structuredContent;
  } catch (error) {
    refused.push(`${name}: ${error.message}`.slice(0, 200));
    return undefined;
  }
}

const selector = { kind: "all" };
const fact = { subject: `subject ${MCP_MARKER}`, predicate: "count", value: "1" };
const note = { memoryType: "note", topic: "Validation", content: `Validated by ${MCP_MARKER}.`, facts: [fact] };
const promise = { memoryType: "commitment", topic: "Promise", content: `Promised by ${MCP_MARKER}.` };
const first = await call("remember", note);
const second = await call("remember", promise);
if (first && second) {
  const [noteId, promiseId] = [first.memory.id, second.memory.id];
  await call("search", { query: MCP_MARKER });
  await call("get_facts", { subject: fact.subject });
  await call("briefing", { selector, mode: "full" });
  await call("handoff", { selector });
  await call("revise", { ...note, facts: [], content: `Validated again by ${MCP_MARKER}.`, predecessorId: noteId });
  await call("get_memories", { ids: [noteId, promiseId] });
  await call("resolve", { memoryId: promiseId, status: "resolved" });
  await call("configure_scope", { action: "list" });
  await call("describe_environment", {});
  await call("review_proposals", { action: "list" });
}
await client.close();
console.log(JSON.stringify({ called: [...called].sort(), refused }));
