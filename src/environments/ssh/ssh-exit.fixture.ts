import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createSshEnvironment } from './ssh.ts';

/** Runs a separate process that uses another machine and exits without closing anything. Returns its output. */
export async function runProcessThatExits(host: string, env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), host], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const [line] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  await exited;
  return line.toString();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const environment = await createSshEnvironment({ host: process.argv[2] ?? '' });
  const options = { timeoutMs: 20_000, signal: new AbortController().signal, maxOutput: 10_000 };
  const { output } = await environment.run('export A=1; echo done', options);
  process.stdout.write(output, () => process.exit(0));
}
