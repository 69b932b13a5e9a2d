// Drives the binary on its demo plan with the official TypeScript client, in both protocol generations, and with
// Inspector's command line. AGENTS.md says how to get Node 22 and the packages.
//
//     node typescript_client.mjs PATH/avenir-mcp NODE_MODULES
//
// Ends with a line that counts what passed.

import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [binary, modules] = process.argv.slice(2).map((path) => resolve(path));
const find = createRequire(join(modules, "here.js"));
const load = (name) => import(pathToFileURL(find.resolve(name)).href);
const { Client } = await load("@modelcontextprotocol/client");
const { StdioClientTransport } = await load("@modelcontextprotocol/client/stdio");

const results = [];
function check(name, passed, seen) {
  results.push(passed);
  console.log(`${passed ? "ok  " : "FAIL"} ${name}${passed ? "" : `: ${JSON.stringify(seen)}`}`);
}

async function connect(mode, answer) {
  const capabilities = answer ? { elicitation: { form: {} } } : {};
  const client = new Client({ name: "check", version: "1" }, { capabilities, versionNegotiation: { mode } });
  client.asked = [];
  if (answer) {
    client.setRequestHandler("elicitation/create", async (request) => {
      client.asked.push(request.params.message);
      return answer;
    });
  }
  const env = { AVENIR_MCP_WRITE: "1" };
  await client.connect(new StdioClientTransport({ command: binary, args: ["--demo"], env, stderr: "inherit" }));
  return client;
}

const call = async (client, name, given) => {
  const result = await client.callTool({ name, arguments: { plan_id: "last-used", ...given } });
  if (result.isError) throw new Error(result.content[0].text);
  return result.structuredContent;
};

for (const mode of ["legacy", "auto", { pin: "2026-07-28" }]) {
  const word = mode.pin ?? mode;
  const yes = { action: "accept", content: { value: true } };
  const cases = [
    ["yes", yes, "applied"],
    ["unticked", { action: "accept", content: { value: false } }, "declined"],
    ["decline", { action: "decline" }, "declined"],
    ["no handler", null, "confirmation_required"],
  ];
  for (const [name, answer, status] of cases) {
    const client = await connect(mode, answer);
    const { tools } = await client.listTools();
    check(`${word} ${name}: tools are listed`, tools.some((tool) => tool.name === "apply_categories"), tools.length);
    const waiting = await call(client, "suggest_categories", {});
    const assignments = waiting.items
      .filter((item) => item.amount < 0 && !item.possible_transfer_with)
      .slice(0, 2)
      .map((item) => ({
        transaction_id: item.transaction_id,
        category_id: item.suggestion?.category_id ?? waiting.categories[0].category_id,
      }));
    const given = await call(client, "apply_categories", { assignments });
    check(`${word} ${name}: ${status}`, given.status === status, given);
    check(`${word} ${name}: asked or not`, client.asked.length === (answer ? 1 : 0), client.asked);
    const left = (await call(client, "suggest_categories", {})).pending_count;
    const written = waiting.pending_count - left;
    check(`${word} ${name}: written or not`, written === (status === "applied" ? 2 : 0), written);
    const { resources } = await client.listResources();
    const read = await client.readResource({ uri: resources[0].uri });
    check(`${word} ${name}: a resource is read`, read.contents[0].text.length > 0, read);
    await client.close();
  }
}

// Inspector needs its own package; it declares no elicitation, so a change answers with a code.
const inspector = find.resolve("@modelcontextprotocol/inspector/package.json");
const { bin } = find(inspector);
const command = join(inspector, "..", typeof bin === "string" ? bin : bin["mcp-inspector"]);
for (const era of ["legacy", "modern"]) {
  const inspect = (...words) =>
    execFileSync(process.execPath, [command, "--cli", binary, "--demo", "--protocol-era", era, ...words], {
      encoding: "utf8",
      env: { PATH: process.env.PATH, HOME: process.env.HOME },
    });
  const listed = JSON.parse(inspect("--method", "tools/list", "--strict"));
  check(`inspector ${era}: a strict listing is clean`, listed.tools.length > 0, listed);
  const arguments_ = ["--method", "tools/call", "--tool-name", "get_monthly_summary", "--tool-arg", "plan_id=last-used"];
  const month = JSON.parse(inspect(...arguments_));
  check(`inspector ${era}: a tool is called`, typeof month.structuredContent.income === "number", month);
  const prompts = JSON.parse(inspect("--method", "prompts/list"));
  check(`inspector ${era}: prompts are listed`, prompts.prompts.length === 4, prompts);
}

const failed = results.filter((passed) => !passed).length;
console.log(`${results.length - failed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
