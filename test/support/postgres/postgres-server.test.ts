import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { startPostgres } from './index.ts';
import { fullDoseOnly } from '../dose.ts';

const CHILD = fileURLToPath(new URL('server-child.ts', import.meta.url));

it('can be stopped, started and removed', fullDoseOnly, async () => {
  const server = await startPostgres();
  const url = await server.createDatabase();
  await server.query('CREATE TABLE kept (value text)', url);
  await server.stop();
  await expect(server.query('SELECT 1')).rejects.toThrow(/ECONNREFUSED/);
  await server.start();
  expect(await server.query('SELECT count(*)::int AS rows FROM kept', url)).toEqual([{ rows: 0 }]);
  const [{ data_directory: data }] = (await server.query('SHOW data_directory')) as [{ data_directory: string }];
  expect(existsSync(data)).toBe(true);
  await server.remove();
  expect(existsSync(data)).toBe(false);
});

it('ends with the process that started it, even if that is killed', fullDoseOnly, async () => {
  const child = spawn(process.execPath, [CHILD], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [said] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  const { folder, port } = JSON.parse(said) as { folder: string; port: number };
  child.kill('SIGKILL');
  await once(child, 'exit');
  // The folder is removed last.
  await expect.poll(() => existsSync(folder)).toBe(false);
  expect(await isListening(port)).toBe(false);
});

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const listening = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  });
  socket.destroy();
  return listening;
}
