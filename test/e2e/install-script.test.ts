import { execFile } from 'node:child_process';
import { access, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTemporaryHome, type TemporaryHome } from '../../src/testing/index.ts';

const SCRIPT = join(import.meta.dirname, '../../install.sh');
const SUPPORTED = process.versions.node;

/** A small package of the same name, which npm can install without the network. */
async function writePackage(folder: string): Promise<string> {
  await mkdir(join(folder, 'bin'), { recursive: true });
  const manifest = { name: 'hermes-agent-ts', version: '7.7.7', bin: { hermes: 'bin/hermes.js' } };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  await writeFile(join(folder, 'bin/hermes.js'), "#!/usr/bin/env node\nconsole.log('7.7.7');\n", { mode: 0o755 });
  await promisify(execFile)('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: folder });
  return join(folder, 'hermes-agent-ts-7.7.7.tgz');
}

describe('install.sh', () => {
  let home: TemporaryHome;
  let programs: string;
  beforeEach(async () => {
    home = await createTemporaryHome();
    programs = join(home.userHome, 'programs');
    await mkdir(programs);
  });
  afterEach(() => home.remove());

  const writeProgram = (name: string, script: string) =>
    writeFile(join(programs, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  /** A node that reports a version, and nothing else. */
  const pretendNode = (version: string) => writeProgram('node', `echo ${version}`);

  async function install(args: string[], env: Record<string, string> = {}) {
    const options = {
      cwd: home.workspace,
      env: {
        PATH: `${programs}:${process.env['PATH']}`,
        HOME: home.userHome,
        SHELL: '/bin/zsh',
        npm_config_offline: 'true',
        npm_config_update_notifier: 'false',
        ...env,
      },
    };
    return await new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
      execFile('sh', [SCRIPT, ...args], options, (error, stdout, stderr) =>
        resolve({ code: error?.code ?? 0, stdout, stderr }),
      );
    });
  }

  it('explains, installs, updates and removes, without a prefix that cannot be written to', async () => {
    await symlink(process.execPath, join(programs, 'node'));
    await writeFile(join(home.userHome, 'file'), '');
    const env = {
      HERMES_INSTALL_SOURCE: await writePackage(join(home.userHome, 'package')),
      npm_config_prefix: join(home.userHome, 'file/npm'),
    };
    const command = join(home.userHome, '.local/bin/hermes');
    const first = await install([], env);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    const explained = first.stdout.indexOf(`command   ${command}`);
    expect(explained).toBeGreaterThan(first.stdout.indexOf(`You cannot write to ${env.npm_config_prefix}`));
    expect(first.stdout.indexOf('Installed Hermes 7.7.7.')).toBeGreaterThan(explained);
    expect(first.stdout).toContain('Add this line to ~/.zshrc');
    expect(first.stdout).toContain(`export PATH="${dirname(command)}:$PATH"`);
    expect((await promisify(execFile)(command)).stdout).toBe('7.7.7\n');

    const again = await install([], { ...env, PATH: `${dirname(command)}:${programs}:${process.env['PATH']}` });
    expect(again).toMatchObject({ code: 0, stdout: expect.not.stringContaining('export PATH') });

    const removed = await install(['--uninstall'], env);
    expect(removed).toMatchObject({ code: 0, stdout: expect.stringContaining(`still in ${home.path}`) });
    await expect(access(command)).rejects.toThrow('ENOENT');
    expect(await install(['--uninstall'], env)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('not installed'),
    });
  });

  it('uses a prefix that can be written to, or the given one', async () => {
    await symlink(process.execPath, join(programs, 'node'));
    const HERMES_INSTALL_SOURCE = await writePackage(join(home.userHome, 'package'));
    const own = join(home.userHome, 'own npm');
    const { code, stdout } = await install([], { HERMES_INSTALL_SOURCE, npm_config_prefix: own });
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.not.stringContaining('cannot write') });
    await access(join(own, 'bin/hermes'));
    const given = join(home.userHome, 'given');
    await install([], { HERMES_INSTALL_SOURCE, npm_config_prefix: own, HERMES_INSTALL_PREFIX: given });
    await access(join(given, 'bin/hermes'));
  });

  it.each(['18.20.8', '20.20.2', '22.22.2', '23.11.0', '24.14.9', '25.2.0'])('refuses Node %s', async (version) => {
    await pretendNode(version);
    const { code, stdout, stderr } = await install([]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^install\.sh: Hermes requires Node .* Install Node 24, .*nodejs\.org.*\n$/);
    expect(stderr).toContain(`this is Node ${version}.`);
  });

  it.each(['22.22.3', '22.23.0', '24.15.0', '24.21.0', '26.0.0', '27.0.0-nightly', SUPPORTED])(
    'accepts Node %s',
    async (version) => {
      await pretendNode(version);
      await writeProgram('npm', 'echo "npm was called: $*" >&2; exit 1');
      const { stderr } = await install([], { HERMES_INSTALL_PREFIX: home.workspace });
      expect(stderr).toContain('npm was called: install --global');
      expect(stderr).toContain('npm could not install hermes-agent-ts@latest');
    },
  );

  it('says what is missing', async () => {
    for (const name of ['sh', 'uname']) await symlink(`/usr/bin/${name}`, join(programs, name));
    const PATH = programs;
    expect((await install([], { PATH })).stderr).toMatch(/^install\.sh: Node was not found\. Install Node 24, /);
    await pretendNode('24.21.0');
    expect((await install([], { PATH })).stderr).toMatch(/^install\.sh: npm was not found/);
    expect((await install(['--uninstall'], { PATH })).stderr).toContain('npm was not found, so nothing was removed.');
  });

  it('refuses other systems and options', async () => {
    await writeProgram('uname', 'echo MINGW64_NT');
    expect(await install([])).toMatchObject({ code: 1, stderr: expect.stringContaining('wsl --install') });
    expect(await install(['--purge'])).toMatchObject({ code: 1, stderr: expect.stringContaining('--purge') });
    expect(await install(['--help'])).toMatchObject({ code: 0, stdout: expect.stringContaining('--uninstall') });
  });
});
