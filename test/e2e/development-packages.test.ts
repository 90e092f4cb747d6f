import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTemporaryHome, type TemporaryHome } from '../../src/testing/index.ts';

const SCRIPT = 'scripts/development-packages.mjs';

describe('the packages for development', () => {
  let home: TemporaryHome;
  let checkout: string;
  let log: string;
  beforeEach(async () => {
    home = await createTemporaryHome();
    checkout = home.workspace;
    log = join(home.userHome, 'npm-calls');
    await mkdir(join(checkout, 'scripts'));
    await cp(join(import.meta.dirname, '../..', SCRIPT), join(checkout, SCRIPT));
    await writeJson('package.json', { dependencies: { bundled: '1.0.0' }, devDependencies: { '@for/tests': '2.0.0' } });
    await writeJson('node_modules/bundled/package.json', { version: '1.0.0' });
  });
  afterEach(() => home.remove());

  async function writeJson(name: string, value: object): Promise<void> {
    await mkdir(join(checkout, name, '..'), { recursive: true });
    await writeFile(join(checkout, name), JSON.stringify(value));
  }

  /** Runs the script with an npm that only records its arguments. */
  async function install(exitCode = 0): Promise<{ code: unknown; stderr: string; calls: string }> {
    const script = `#!/bin/sh\necho "$PWD $*" >> '${log}'\nexit ${exitCode}\n`;
    await writeFile(join(home.userHome, 'npm'), script, { mode: 0o755 });
    const env = { PATH: `${home.userHome}:/usr/bin:/bin` };
    const { code, stderr } = await new Promise<{ code: unknown; stderr: string }>((resolve) => {
      execFile(process.execPath, [SCRIPT], { cwd: checkout, env }, (error, _, text) =>
        resolve({ code: error?.code ?? 0, stderr: text }),
      );
    });
    return { code, stderr, calls: await readFile(log, 'utf8').catch(() => '') };
  }

  it('are installed if one is missing or has another version', async () => {
    const calls = `${checkout} install --include=dev --no-save --no-audit --no-fund\n`;
    expect(await install()).toEqual({
      code: 0,
      stderr: 'Installing the packages for development: @for/tests@2.0.0\n',
      calls,
    });
    await writeJson('node_modules/@for/tests/package.json', { version: '1.9.0' });
    expect(await install()).toMatchObject({ code: 0, calls: calls.repeat(2) });
  });

  it('are left alone if they are complete', async () => {
    await writeJson('node_modules/@for/tests/package.json', { version: '2.0.0' });
    expect(await install(1)).toEqual({ code: 0, stderr: '', calls: '' });
  });

  it('are reported if npm cannot install them', async () => {
    const { code, stderr } = await install(7);
    expect(code).toBe(1);
    expect(stderr).toContain('npm exited with 7. Run `npm ci --include=dev` to try again.');
  });
});
