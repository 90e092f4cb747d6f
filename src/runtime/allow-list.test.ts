import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { silentLogger } from '../contracts/index.ts';
import { createAllowList } from './approval-guard.ts';

it('writes each rule once and keeps the rest of the file', async () => {
  const home = await mkdtemp(join(tmpdir(), 'hermes-allow-'));
  await writeFile(join(home, 'config.yaml'), '# mine\ncommand_allowlist:\n  - old rule\n');
  const list = createAllowList(home, silentLogger);
  list.add('new rule');
  list.add('new rule');
  list.add('another');
  await list.settled();
  const expected = '# mine\ncommand_allowlist:\n  - old rule\n  - new rule\n  - another\n';
  expect(await readFile(join(home, 'config.yaml'), 'utf8')).toBe(expected);
  await rm(home, { recursive: true });
});

it('keeps an entry that another process added since startup', async () => {
  const home = await mkdtemp(join(tmpdir(), 'hermes-allow-'));
  const [mine, theirs] = [createAllowList(home, silentLogger), createAllowList(home, silentLogger)];
  theirs.add('their rule');
  await theirs.settled();
  mine.add('my rule');
  await mine.settled();
  const expected = 'command_allowlist:\n  - their rule\n  - my rule\n';
  expect(await readFile(join(home, 'config.yaml'), 'utf8')).toBe(expected);
  await rm(home, { recursive: true });
});
