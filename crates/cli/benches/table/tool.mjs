// The memory tool of the official TypeScript SDK as a process like `memoseal tool`: a JSON line in, a JSON line out.

import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const [folder, installed] = process.argv.slice(2);
const require = createRequire(installed + "/");
const { BetaLocalFilesystemMemoryTool, betaMemoryTool } = require("@anthropic-ai/sdk/tools/memory/node");

const tool = betaMemoryTool(await BetaLocalFilesystemMemoryTool.init(folder));
for await (const line of createInterface({ input: process.stdin })) {
  let answer;
  try {
    answer = { content: await tool.run(JSON.parse(line)) };
  } catch (error) {
    answer = { content: String(error), is_error: true };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
}
