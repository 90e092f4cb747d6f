import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRuntime, loadModels } from '../../src/runtime/index.ts';

/** One long session in a separate process: `HOME ADDRESS TURNS WINDOW`. Prints a line of JSON for each turn. */
const [home = '', baseUrl = '', turns = '1000', window = '32000'] = process.argv.slice(2);
const workspace = join(home, 'workspace');
mkdirSync(workspace, { recursive: true });
writeFileSync(
  join(home, 'config.yaml'),
  [
    'model:',
    '  provider: custom',
    '  default: bench-model',
    `  base_url: ${baseUrl}`,
    '  api_key: bench',
    `  context_length: ${window}`,
    '',
  ].join('\n'),
);
const { settings, models } = await loadModels({ home, env: {} });
const { routes = [], auxiliaryRoutes } = models ?? {};
const runtime = await createRuntime({
  settings,
  routes,
  auxiliaryRoutes,
  workingDirectory: workspace,
  source: 'bench',
  attended: false,
});
const { agent } = await runtime.openAgent();
for (let turn = 1; turn <= Number(turns); turn += 1) {
  // Results of one to three thousand characters, all different.
  const text = `day ${turn}: ${Array.from({ length: 130 + ((turn * 37) % 260) }, (_, i) => (turn * 31 + i * 17) % 997).join(' ')}\n`;
  writeFileSync(join(workspace, `file-${turn}.txt`), text);
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  let compressions = 0;
  const result = await runtime.turns.run(agent.sessionId, 'cli', async (held) => {
    const run = agent.run({ ...held, userMessage: `Read file ${turn} and say what it is about.` });
    for await (const event of run) if (event.type === 'compressed') compressions += 1;
    return run.result;
  });
  const ms = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpu);
  // Collects garbage first, because it is not growth; the time for this is not counted.
  if (turn % 10 === 0) gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  const { exitReason, messages } = result;
  const cpuMs = (user + system) / 1000;
  const memory = { rssMb: rss / 1e6, heapMb: heapUsed / 1e6 };
  const line = { turn, ms, cpuMs, ...memory, compressions, exitReason, messages: messages.length };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
await runtime.close();
process.exit(0);
