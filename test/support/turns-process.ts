import { createRuntime, loadModels } from '../../src/runtime/index.ts';
import { createFakeClock } from '../../src/testing/index.ts';

/** A separate process that runs a conversation: `HOME WORKSPACE TURNS START`. Prints one answer per line. */
const [home = '', workspace = '', turns = '0', start = '0'] = process.argv.slice(2);
const MINUTES_BETWEEN_TURNS = 7;

const clock = createFakeClock(Number(start));
const { settings, models } = await loadModels({ home, env: {} });
const runtime = await createRuntime({
  settings,
  routes: models?.routes ?? [],
  clock,
  source: 'cli',
  attended: false,
  workingDirectory: workspace,
});
const { agent } = await runtime.openAgent();
for (let turn = 1; turn <= Number(turns); turn += 1) {
  const { exitReason, finalResponse } = await agent.runConversation({ userMessage: `question ${turn}` });
  process.stdout.write(`${exitReason} ${finalResponse}\n`);
  clock.advance(MINUTES_BETWEEN_TURNS * 60_000);
}
await runtime.close();
process.exit(0);
