// What every TypeScript client is made to do, and what it saw, as one JSON object on stdout.
//
// `connect(token)` gives a connected client of either generation; both have the same methods.

const CONTENT = { memoryType: "note", topic: "Lantern", project: "clients" };

// The HTTP status or JSON-RPC code that `action` fails with, null when it succeeds.
async function failure(action) {
  try {
    await action();
    return null;
  } catch (error) {
    return error.data?.status ?? error.code;
  }
}

export async function walk(connect) {
  const { MCP_TOKEN: token, MCP_MARKER: marker } = process.env;
  const client = await connect(token);
  const call = (name, args) => client.callTool({ name, arguments: args });

  const { tools } = await client.listTools();
  const written = await call("remember", { ...CONTENT, content: `The lantern ${marker} burns whale oil.` });
  const id = written.structuredContent.memory.id;
  const found = await call("search", { query: `lantern ${marker}` });
  const refused = await call("search", { query: "x", scop: "y" });
  const resource = await client.readResource({ uri: `threengram://memory/${id}` });
  const seen = {
    tools: tools.map((tool) => tool.name),
    id,
    found: found.structuredContent.hits[0].id,
    mirror: JSON.parse(found.content[0].text).hits[0].id,
    unknownArgument: { isError: refused.isError, code: refused._meta.code, field: refused._meta.field },
    unknownTool: await failure(() => call("zzz", {})),
    resource: JSON.parse(resource.contents[0].text).content,
    missingResource: await failure(() => client.readResource({ uri: "threengram://memory/nothing" })),
    badToken: await failure(() => connect(`${token.slice(0, -4)}AAAA`)),
  };
  await client.close();
  console.log(JSON.stringify(seen));
}
