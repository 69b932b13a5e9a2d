// Makes the extension and the registry page with the binary, and holds them to the official tools: @anthropic-ai/mcpb
// validates and unpacks, the registry's JSON schema is checked with ajv, and the unpacked binary answers through the
// very command line that Claude Desktop would make of its settings. AGENTS.md says where the packages come from.
//
//     node bundle_check.mjs PATH/avenir-mcp NODE_MODULES REGISTRY_SCHEMA.json
//
// Ends with a line that counts what passed.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [binary, modules, schema] = process.argv.slice(2).map((path) => resolve(path));
const find = createRequire(join(modules, "here.js"));
const load = (name) => import(pathToFileURL(find.resolve(name)).href);
const { Client } = await load("@modelcontextprotocol/client");
const { StdioClientTransport } = await load("@modelcontextprotocol/client/stdio");
const mcpb = await import(pathToFileURL(join(modules, "@anthropic-ai/mcpb/dist/index.js")).href);
const Ajv = find("ajv");
const formats = find("ajv-formats");

const results = [];
function check(name, passed, seen) {
  results.push(passed);
  console.log(`${passed ? "ok  " : "FAIL"} ${name}${passed ? "" : `: ${JSON.stringify(seen)}`}`);
}

const folder = mkdtempSync(join(tmpdir(), "avenir-bundle-"));
try {
  execFileSync(binary, ["bundle", folder], { stdio: "inherit" });
  const file = join(folder, readdirSync(folder).find((name) => name.endsWith(".mcpb")));
  const unpacked = join(folder, "unpacked");
  const tool = (...words) =>
    execFileSync(process.execPath, [join(modules, "@anthropic-ai/mcpb/dist/cli/cli.js"), ...words], { encoding: "utf8" });
  check("mcpb unpacks it", tool("unpack", file, unpacked).includes("successfully"));
  check("mcpb accepts its manifest", tool("validate", join(unpacked, "manifest.json")).includes("passes"));

  const page = JSON.parse(readFileSync(join(folder, "server.json"), "utf8"));
  const ajv = new (Ajv.default ?? Ajv)({ strict: false, allErrors: true });
  (formats.default ?? formats)(ajv);
  const valid = ajv.validate(JSON.parse(readFileSync(schema, "utf8")), page);
  check("the registry's schema accepts server.json", valid, ajv.errors);
  const hash = createHash("sha256").update(readFileSync(file)).digest("hex");
  check("its hash is the file's", page.packages[0].fileSha256 === hash, page.packages[0].fileSha256);

  const manifest = JSON.parse(readFileSync(join(unpacked, "manifest.json"), "utf8"));
  check("the binary can be run", (statSync(join(unpacked, manifest.server.entry_point)).mode & 0o111) === 0o111);
  for (const [name, settings, writes] of [
    ["as it is installed", { ynab_token: "a-token" }, false],
    ["with changes switched on", { ynab_token: "a-token", write: true, require_elicitation: true }, true],
  ]) {
    const config = await mcpb.getMcpConfigForManifest({
      manifest, extensionPath: unpacked, systemDirs: {}, userConfig: settings, pathSeparator: "/",
    });
    const client = new Client({ name: "check", version: "1" });
    await client.connect(new StdioClientTransport({ command: config.command, args: config.args, env: config.env }));
    const { tools } = await client.listTools();
    check(`${name}: it answers`, tools.length > 0);
    check(`${name}: changes ${writes ? "on" : "off"}`, tools.some((tool) => tool.name === "move_money") === writes);
    check(`${name}: the token is on no command line`, !JSON.stringify([config.command, config.args]).includes("a-token"));
    await client.close();
  }
} finally {
  rmSync(folder, { recursive: true });
}

const failed = results.filter((passed) => !passed).length;
console.log(`${results.length - failed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
