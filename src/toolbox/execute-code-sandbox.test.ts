import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { sandboxSkipReason } from '../environments/skip-tests.fixture.ts';
import { createSandboxEnvironment } from '../environments/local/sandbox.ts';
import { createToolFixture } from './tools.fixture.ts';
import { fullDoseOnly } from '../../test/support/dose.ts';

async function open(more: Parameters<typeof createToolFixture>[0] = {}) {
  // Not in the temporary directory, because the sandbox has its own.
  const root = await realpath(await mkdtemp('/var/tmp/hermes-code-test-'));
  const [folder, hidden] = [join(root, 'project'), join(root, 'hidden')];
  await mkdir(folder);
  await mkdir(hidden);
  await writeFile(join(hidden, 'key'), 'a secret');
  const sandbox = await createSandboxEnvironment({ workingDirectory: folder, network: false, hidden: [hidden] });
  const fixture = await createToolFixture({ code: {}, adapt: () => sandbox, ...more });
  onTestFinished(async () => {
    await fixture[Symbol.asyncDispose]();
    await rm(root, { recursive: true, force: true });
  });
  return { root, folder, hidden, sandbox, execute: (code: string) => fixture.run('execute_code', { code }) };
}

/** Processes in a sandbox are visible from outside. */
function worksIn(pid: string, folder: string): boolean {
  try {
    return readlinkSync(join('/proc', pid, 'cwd')) === folder;
  } catch {
    return false;
  }
}

const missing = sandboxSkipReason();
describe.skipIf(missing !== '')(`execute_code in the sandbox${missing}`, () => {
  verifies(['TOOL-5', 'TOOL-6'], 'runs a script inside the sandbox, with its tools working inside too', async () => {
    const { execute, folder, root, hidden } = await open();
    await writeFile(join(folder, 'a.txt'), 'one');
    const { content, status } = await execute(`
      const { readdirSync, writeFileSync } = await import('node:fs');
      console.log((await tools.read_file({ path: 'a.txt' })).includes('one'), readdirSync('${hidden}').length);
      console.log((await tools.terminal({ command: 'ls ${hidden} | wc -l' })).trim());
      try { writeFileSync('${root}/outside', ''); } catch (error) { console.log(error.code); }
      await tools.write_file({ path: 'b.txt', content: 'written' });
    `);
    expect({ status, content }).toEqual({ status: 'ok', content: 'true 0\n0\nEROFS' });
    expect(await readFile(join(folder, 'b.txt'), 'utf8')).toBe('written');
    expect(existsSync(join(root, 'outside'))).toBe(false);
  });

  verifies('TOOL-6', 'creates private directories in the sandbox and removes them', async () => {
    const { sandbox } = await open();
    const made = sandbox.newFolder?.();
    if (made === undefined) throw new Error('a sandbox has such a folder');
    expect((await stat(made.path)).mode & 0o777).toBe(0o700);
    await writeFile(join(made.path, 'x'), 'from outside');
    const options = { timeoutMs: 20_000, signal: new AbortController().signal, maxOutput: 1000 };
    expect((await sandbox.run(`cat ${join(made.path, 'x')}`, options)).output).toBe('from outside');
    made.remove();
    expect(existsSync(made.path)).toBe(false);
  });

  verifies('TOOL-5', 'kills an endless script with its processes in the sandbox', fullDoseOnly, async () => {
    const { execute, folder } = await open({ code: { timeoutSeconds: 5 }, guard: { mode: 'off' } });
    const { content, status } = await execute(`
      const { spawn } = await import('node:child_process');
      spawn('/bin/sh', ['-c', 'while :; do echo x >> ticks; sleep 0.05; done'], { detached: true, stdio: 'ignore' });
      for (;;) {}
    `);
    expect({ status, content }).toEqual({ status: 'error', content: '[timed out after 5 s]' });
    expect(readdirSync(folder)).toContain('ticks');
    expect(readdirSync('/proc').filter((pid) => worksIn(pid, folder))).toEqual([]);
  });
});
