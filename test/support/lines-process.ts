import { appendLine } from '../../src/trajectories/line-writer.ts';

/** A separate process that appends lines: `FILE NAME COUNT SIZE`. Starts when it receives input on stdin. */
const [file = '', name = '', count = '0', size = '0'] = process.argv.slice(2);

process.stdout.write('ready\n');
await new Promise((resolve) => process.stdin.once('data', resolve));
for (let index = 0; index < Number(count); index += 1) {
  await appendLine(file, { name, index, filling: 'x'.repeat(Number(size)) });
  process.stdout.write(`${index}\n`);
}
process.exit(0);
