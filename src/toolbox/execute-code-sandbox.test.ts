import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, vi } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { sandboxSkipReason } from '../environments/skip-tests.fixture.ts';
import { createLocalEnvironment } from '../environments/index.ts';
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

describe.skipIf(missing !== '')(`execute_code with the local backend${missing}`, () => {
  async function openLocal(env: NodeJS.ProcessEnv = {}) {
    const root = await realpath(await mkdtemp('/var/tmp/hermes-code-test-'));
    const [folder, home] = [join(root, 'project'), join(root, 'home')];
    await mkdir(folder);
    await mkdir(join(home, '.ssh'), { recursive: true });
    await writeFile(join(home, '.ssh/id_rsa'), 'a private key');
    await writeFile(join(home, 'notes'), 'notes');
    const hidden = () => [join(home, '.ssh')];
    const local = createLocalEnvironment({
      workingDirectory: folder,
      env: { ...process.env, ...env },
      confinement: { network: false, hidden },
    });
    const fixture = await createToolFixture({ code: {}, adapt: () => local, guard: { mode: 'off' } });
    onTestFinished(async () => {
      await fixture[Symbol.asyncDispose]();
      await rm(root, { recursive: true, force: true });
    });
    return { root, folder, home, local, execute: (code: string) => fixture.run('execute_code', { code }) };
  }

  verifies('APPR-7', 'runs scripts in the sandbox, and their tool calls outside it', async () => {
    const { execute, folder, home } = await openLocal();
    const { content, status } = await execute(`
      const { readFileSync, readdirSync, writeFileSync } = await import('node:fs');
      const { networkInterfaces } = await import('node:os');
      const attempt = (work) => { try { return work(); } catch (error) { return error.code; } };
      console.log(attempt(() => readFileSync('${home}/.ssh/id_rsa', 'utf8')), readdirSync('${home}/.ssh').length);
      console.log(attempt(() => writeFileSync('${home}/x', '')), attempt(() => readFileSync('${home}/notes', 'utf8')));
      writeFileSync('inside', 'i'); writeFileSync('/tmp/inside', 'i');
      console.log(Object.keys(networkInterfaces()).filter((name) => name !== 'lo').length, process.pid < 100);
      console.log(await tools.terminal({ command: 'echo out > ${home}/made; cat ${home}/made' }));
    `);
    expect({ status, content }).toEqual({ status: 'ok', content: 'ENOENT 0\nEROFS notes\n0 true\nout' });
    expect(await readFile(join(folder, 'inside'), 'utf8')).toBe('i');
    expect(existsSync('/tmp/inside')).toBe(false);
  });

  verifies('APPR-7', 'explains a script that fails because of the sandbox', async () => {
    const { execute, home, folder } = await openLocal();
    const { content } = await execute(`require('fs').writeFileSync('${home}/x', '')`);
    expect(content).toContain(`[scripts run in a sandbox: they can write only to ${folder} and a private /tmp`);
  });

  verifies('TOOL-5', 'shares the variables and the directory of the shell with a script', async () => {
    const { execute, local, folder } = await openLocal();
    await mkdir(join(folder, 'sub'));
    const options = { timeoutMs: 20_000, signal: new AbortController().signal, maxOutput: 1000 };
    await local.run('cd sub; export XDG_TEST=shown', options);
    const { content } = await execute('console.log(process.cwd(), process.env.XDG_TEST)');
    expect(content).toBe(`${folder}/sub shown`);
  });

  verifies('APPR-7', 'does not let a script change the shell of later commands', async () => {
    const { execute, local } = await openLocal();
    const options = { timeoutMs: 20_000, signal: new AbortController().signal, maxOutput: 1000 };
    // From now on, there is a state that each shell restores.
    await local.run('export BEFORE=1', options);
    const { content } = await execute(`
      const { readdirSync, writeFileSync, symlinkSync, existsSync } = await import('node:fs');
      const attempt = (work) => { try { return work(); } catch (error) { return error.code; } };
      const folders = ['/dev/shm', '/tmp', process.env.TMPDIR].filter((path) => path && existsSync(path)).flatMap((path) =>
        readdirSync(path).filter((name) => name.startsWith('hermes-shell-')).map((name) => path + '/' + name));
      const files = folders.flatMap((path) => readdirSync(path).map((name) => path + '/' + name));
      console.log(files.length > 0, files.every((file) => attempt(() => writeFileSync(file, 'pwd() { echo PWNED; }')) === 'EROFS'));
      console.log(folders.every((path) => attempt(() => symlinkSync('/etc/passwd', path + '/99')) === 'EROFS'));
    `);
    expect(content).toBe('true true\ntrue');
    expect((await local.run('export AFTER=1; pwd; echo "$BEFORE$AFTER"', options)).output).toMatch(/\/project\n11\n$/);
  });

  verifies('APPR-7', 'says once that there is no sandbox', async () => {
    const { execute } = await openLocal({ PATH: '/nowhere' });
    const first = await execute('console.log(1)');
    expect(first.content).toBe('1\n[scripts run without the sandbox here: bubblewrap (bwrap) is not installed]');
    expect((await execute('console.log(2)')).content).toBe('2');
  });
});

describe('execute_code with an unusual TMPDIR', () => {
  verifies('TOOL-5', 'works if TMPDIR is missing or too long for a socket', fullDoseOnly, async () => {
    const long = await mkdtemp(join(tmpdir(), 'long-'.repeat(20)));
    onTestFinished(() => {
      vi.unstubAllEnvs();
      return rm(long, { recursive: true });
    });
    for (const folder of [long, '/nowhere/at/all', '/proc']) {
      await using fixture = await createToolFixture({ code: {} });
      vi.stubEnv('TMPDIR', folder);
      const { content } = await fixture.run('execute_code', {
        code: `console.log(await tools.terminal({ command: 'echo works' }))`,
      });
      vi.unstubAllEnvs();
      expect({ folder, content }).toEqual({ folder, content: 'works' });
    }
  });
});
