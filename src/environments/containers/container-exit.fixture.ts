import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ProcessRecord } from '../../contracts/index.ts';
import { type ContainerOptions, createContainerEnvironment } from './container.ts';

/** Runs a separate process that opens a container and starts a command in it, and then exits or waits to be killed. */
export async function runProcessThat(ending: 'leave' | 'wait', options: ContainerOptions, seconds = '4567.25') {
  const args = [fileURLToPath(import.meta.url), JSON.stringify(options), ending, seconds];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, exited, record: JSON.parse(line.toString()) as ProcessRecord };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [options = '', ending = '', seconds = ''] = process.argv.slice(2);
  const environment = await createContainerEnvironment(JSON.parse(options) as ContainerOptions);
  const started = await environment.start(`sleep ${seconds}`);
  process.stdout.write(`${JSON.stringify(started.record)}\n`, () => {
    if (ending === 'leave') process.exit(0);
  });
  setInterval(() => undefined, 60_000);
}
