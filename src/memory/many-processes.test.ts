import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { fullDoseOnly } from '../../test/support/dose.ts';

const SCRIPT = join(import.meta.dirname, '../../test/support/memory-process.ts');
const [PROCESSES, ADDS] = [8, 20];

async function startWriter(folder: string, name: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [SCRIPT, folder, name, String(ADDS)], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return child;
}

async function finish(child: ChildProcess): Promise<string> {
  let said = '';
  child.stdout?.on('data', (data: Buffer) => (said += data.toString()));
  child.stdin?.end('go');
  await once(child, 'close');
  return said;
}

verifies('SURF-11', 'no entry is lost when many processes write concurrently', fullDoseOnly, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-memory-'));
  try {
    await writeFile(join(folder, 'MEMORY.md'), 'by hand\n');
    const names = Array.from({ length: PROCESSES }, (_, index) => `writer ${index}`);
    const children = await Promise.all(names.map((name) => startWriter(folder, name)));
    expect(await Promise.all(children.map(finish))).toEqual(names.map(() => ''));
    const entries = (await readFile(join(folder, 'MEMORY.md'), 'utf8')).trim().split('\n§\n');
    const expected = names.flatMap((name) => Array.from({ length: ADDS }, (_, index) => `${name} note ${index}`));
    expect(entries.toSorted()).toEqual(['by hand', ...expected].toSorted());
    expect(await readdir(folder)).toEqual(['MEMORY.md']);
  } finally {
    await rm(folder, { recursive: true });
  }
});
