import { cp, mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTemporaryHome, runHermes, type TemporaryHome } from '../../src/testing/index.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Makes Node report another version. */
const OLD_NODE = withPreloaded(pretend('20.9.0'));
const WINDOWS = withPreloaded("Object.defineProperty(process, 'platform', { value: 'win32' });");

function withPreloaded(code: string): { NODE_OPTIONS: string } {
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` };
}

function pretend(version: string): string {
  return `if (!process.env.HERMES_NODE_CHOSEN) Object.defineProperty(process.versions, 'node', { value: '${version}' });`;
}

describe('bin/hermes.js', () => {
  let home: TemporaryHome;
  let copy: string;
  beforeEach(async () => {
    home = await createTemporaryHome();
    copy = join(home.userHome, 'copy');
    await mkdir(join(copy, 'bin'), { recursive: true });
    await cp(join(ROOT, 'bin/hermes.js'), join(copy, 'bin/hermes.js'));
    await cp(join(ROOT, 'package.json'), join(copy, 'package.json'));
  });
  afterEach(() => home.remove());
  const run = (args: string[], env: Record<string, string> = {}) =>
    runHermes(args, { home, env, script: join(copy, 'bin/hermes.js') });

  it('says in one sentence that Node is too old, and how to get a newer one', async () => {
    const { exitCode, stdout, stderr } = await run(['--version'], OLD_NODE);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(
      /^hermes requires Node .* this is Node 20\.9\.0: install Node 24, .*nodejs\.org\S+, .*\.\n$/,
    );
  });

  it.each([[['--version']], [['-z', 'hi']], [[]]])(
    'only says on native Windows that it needs WSL: %j',
    async (args) => {
      await mkdir(join(copy, 'dist'));
      await writeFile(join(copy, 'dist/cli.js'), "throw new Error('loaded');");
      const entries = () => readdir(home.userHome, { recursive: true });
      const before = await entries();
      const { exitCode, stdout, stderr } = await run(args, { ...OLD_NODE, ...WINDOWS });
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
      expect(stderr).toMatch(/^hermes does not run on native Windows: .*`wsl --install`.*\.\n$/);
      expect(await entries()).toEqual(before);
    },
  );

  it('uses the Node in its own folder instead, and passes on its exit code', async () => {
    await mkdir(join(copy, 'node_modules/node/bin'), { recursive: true });
    await symlink(process.execPath, join(copy, 'node_modules/node/bin/node'));
    await symlink(join(ROOT, 'dist'), join(copy, 'dist'));
    const version = await run(['--version'], OLD_NODE);
    expect(version).toMatchObject({ exitCode: 0, stderr: '' });
    expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(await run(['--nonsense'], OLD_NODE)).toMatchObject({ exitCode: 2 });
  });

  it('reports that it is not built', async () => {
    expect(await run(['--version'])).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('npm run build') });
  });

  it('reports a program that never finishes, and exits with code 1', async () => {
    await mkdir(join(copy, 'dist'));
    await writeFile(join(copy, 'dist/cli.js'), 'export const main = () => new Promise(() => {});');
    const text = await run(['-z', 'x']);
    expect(text).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringMatching(/^hermes stopped .*\n +This is a bug; please report it\.\n$/),
    });
    const json = await run(['--json', '-q', 'x']);
    expect(json.exitCode).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({ v: 1, type: 'result', exit_reason: 'failed', exit_code: 1 });
  });

  it('runs through a symbolic link, as package managers install it, and keeps the compile cache private', async () => {
    const link = join(home.userHome, 'hermes');
    await symlink(join(ROOT, 'bin/hermes.js'), link);
    expect(await runHermes(['--version'], { home, script: link })).toMatchObject({ exitCode: 0, stderr: '' });
    expect((await stat(join(home.path, 'cache/compile'))).mode & 0o077).toBe(0);
  });

  it('expands a tilde in HERMES_HOME like the program', async () => {
    await mkdir(join(home.userHome, 'own'));
    const script = join(ROOT, 'bin/hermes.js');
    const { stdout } = await runHermes(['config', 'path'], { home, script, env: { HERMES_HOME: '~/own' } });
    expect(stdout).toBe(`${join(home.userHome, 'own', 'config.yaml')}\n`);
    expect((await stat(join(home.userHome, 'own/cache/compile'))).isDirectory()).toBe(true);
  });
});
