// Runs the file tools in a process without root privileges, because root may read and write everything.
import type { JsonObject } from '../base/index.ts';
import { createLocalEnvironment } from '../environments/index.ts';
import { createToolSet } from '../tools/index.ts';
import { builtInTools } from './index.ts';

const NOBODY = 65_534;

const [folder = '', calls = '[]'] = process.argv.slice(2);
const tools = createToolSet({
  tools: builtInTools(),
  environment: createLocalEnvironment({ workingDirectory: folder }),
});
// The first call loads modules that the unprivileged user may not be able to read, so it runs before the privileges
// are dropped.
await tools.dispatchWithoutAgent('search_files', { pattern: 'x', path: folder });
process.setgid?.(NOBODY);
process.setuid?.(NOBODY);
for (const { name, args } of JSON.parse(calls) as { name: string; args: JsonObject }[]) {
  const { content } = await tools.dispatchWithoutAgent(name, args);
  process.stdout.write(`${JSON.stringify(content)}\n`);
}
