import { createMemoryFiles } from '../../src/memory/index.ts';

/** A separate process that adds memory entries: `FOLDER NAME COUNT`. Starts when it receives input on stdin. */
const [folder = '', name = '', count = '0'] = process.argv.slice(2);

const files = createMemoryFiles({ folder, limits: { memory: 100_000 } });
process.stdout.write('ready\n');
await new Promise((resolve) => process.stdin.once('data', resolve));
for (let index = 0; index < Number(count); index += 1) {
  const outcome = await files.change('memory', [{ action: 'add', content: `${name} note ${index}` }]);
  if (outcome.status !== 'changed') process.stdout.write(`${JSON.stringify(outcome)}\n`);
}
process.exit(0);
