import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import type { Environment } from '../../contracts/index.ts';
import { createEnvironment } from '../index.ts';
import { sandboxSkipReason } from '../skip-tests.fixture.ts';
import { createSandboxEnvironment } from './sandbox.ts';

const options = { timeoutMs: 20_000, signal: new AbortController().signal, maxOutput: 10_000 };

const missing = sandboxSkipReason();
describe.skipIf(missing !== '')(`the sandbox${missing}`, () => {
  let root: string;
  let folder: string;
  let hermesHome: string;
  let sandbox: Environment;
  beforeAll(async () => {
    // Outside the temporary folder, which is a different one in the sandbox.
    root = await realpath(await mkdtemp(join('/var/tmp', 'hermes-sandbox-test-')));
    folder = join(root, 'project');
    hermesHome = join(root, 'project/own-home');
    await mkdir(hermesHome, { recursive: true });
    await writeFile(join(hermesHome, 'state.db'), 'sessions');
    await writeFile(join(root, 'outside.txt'), 'outside');
    sandbox = await createSandboxEnvironment({ workingDirectory: folder, network: false, hidden: [hermesHome] });
  });
  afterAll(async () => {
    await sandbox.close();
    await rm(root, { recursive: true, force: true });
  });
  const run = async (command: string) => sandbox.run(command, options);

  verifies('TOOL-6', 'allows writes only to the working directory and /tmp', async () => {
    expect((await run('echo in > in.txt; echo t > /tmp/t.txt; cat /tmp/t.txt')).output).toBe('t\n');
    expect(await readFile(join(folder, 'in.txt'), 'utf8')).toBe('in\n');
    for (const place of [join(root, 'new.txt'), join(root, 'outside.txt'), '/etc/hermes-test', `${homedir()}/x`]) {
      expect((await run(`echo x >> ${place}`)).output).toMatch(/Read-only file system|Permission denied/);
      await expect(sandbox.writeFile(place, 'x')).rejects.toThrow(/EROFS|EACCES/);
    }
    expect(await readFile(join(root, 'outside.txt'), 'utf8')).toBe('outside');
    await expect(readFile('/tmp/t.txt')).rejects.toThrow('ENOENT');
  });

  verifies('TOOL-6', 'allows writes to added folders, but not to the hooks of their repositories', async () => {
    const added = join(root, 'added');
    await mkdir(join(added, '.git/hooks'), { recursive: true });
    await writeFile(join(added, '.git/HEAD'), 'ref: refs/heads/main\n');
    const wider = await createSandboxEnvironment({
      workingDirectory: folder,
      addedFolders: [added],
      network: false,
      hidden: [hermesHome],
    });
    try {
      const inside = async (command: string) => (await wider.run(command, options)).output;
      expect(await inside(`echo in > ${added}/in.txt; echo t > ${added}/.git/x; cat ${added}/in.txt`)).toBe('in\n');
      expect(await readFile(join(added, 'in.txt'), 'utf8')).toBe('in\n');
      expect(await inside(`echo x > ${added}/.git/hooks/post-commit`)).toContain('Read-only file system');
      expect(await inside(`echo x > ${root}/new.txt`)).toContain('Read-only file system');
      expect(wider.system).toContain('the additional directories');
    } finally {
      await wider.close();
    }
    await expect(
      createSandboxEnvironment({ workingDirectory: folder, addedFolders: [homedir()], network: false, hidden: [] }),
    ).rejects.toThrow('cannot protect');
  });

  verifies('TOOL-6', 'does not let root change the settings of the kernel', async () => {
    const settings = ['core_pattern', 'randomize_va_space', 'hostname'];
    for (const path of settings.map((name) => `/proc/sys/kernel/${name}`)) {
      // The value that is already there, so that a sandbox that fails here changes nothing.
      const { output } = await run(`v=$(cat ${path}); echo "$v" > ${path} && echo changed`);
      expect(output).toMatch(/Read-only file system|Permission denied/);
    }
  });

  verifies('TOOL-6', 'shows the files of the machine except the home directory of Hermes', async () => {
    expect((await run(`cat ${root}/outside.txt`)).output).toBe('outside');
    expect((await run(`ls -A ${hermesHome}`)).output).toBe('');
    expect(await sandbox.stat(join(hermesHome, 'state.db'))).toBeUndefined();
    await expect(sandbox.readFile(join(hermesHome, 'state.db'))).rejects.toThrow('ENOENT');
    await run(`ln -sfn ${hermesHome}/state.db way`);
    await expect(sandbox.readFile('way')).rejects.toThrow('ENOENT');
  });

  it('has its own processes and network', async () => {
    const { output } = await run('ls /proc | grep -c "^[0-9]"; grep -c : /proc/net/dev; kill -0 $PPID && echo inner');
    const [processes, interfaces] = output.split('\n').map(Number);
    expect(processes).toBeLessThan(10);
    expect(interfaces).toBe(1);
    expect((await run(`kill -9 ${process.pid}`)).exitCode).not.toBe(0);
  });

  it('kills everything that outlives a command', async () => {
    await run('setsid sleep 7654.321 >/dev/null 2>&1 & sleep 0.1');
    const { output } = await run('ls /proc | grep -c "^[0-9]"');
    expect(Number(output)).toBeLessThan(10);
  });

  it("rejects a working directory that contains the user's home", async () => {
    const wide = { network: true, hidden: [] };
    await expect(createSandboxEnvironment({ ...wide, workingDirectory: homedir() })).rejects.toThrow(/cannot protect/);
    await expect(createSandboxEnvironment({ ...wide, workingDirectory: '/' })).rejects.toThrow(/cannot protect/);
  });

  it('gives every command a new sandbox with the variables and the directory of the last one', async () => {
    await run('mkdir -p deep; cd deep; export CARRIED="a b"; f() { echo "f $1"; }');
    for (const n of [1, 2, 3]) {
      expect((await run(`f ${n}; echo "$CARRIED $PWD $OLDPWD $TMPDIR"; echo $$ >/dev/null`)).output).toBe(
        `f ${n}\na b ${folder}/deep ${folder} /tmp\n`,
      );
    }
    expect((await run('env | cut -d= -f1 | sort | tr "\\n" " "')).output).not.toMatch(/\b(?:REPLY|r)\b/);
    expect((await sandbox.run('pwd; echo "$CARRIED"', { ...options, workingDirectory: folder })).output).toBe(
      `${folder}\na b\n`,
    );
    await run('cd ..; unset CARRIED; unset -f f');
    expect((await run('pwd; echo "<$CARRIED>"; type f')).output).toContain(`${folder}\n<>\n`);
  });

  it('shows the current files, although the next sandbox is started in advance', async () => {
    await run('true');
    const late = join(root, 'late');
    await writeFile(late, 'first');
    expect((await run(`cat ${late}`)).output).toBe('first');
    await rm(late);
    await mkdir(late);
    expect((await run(`ls -d ${late}/`)).output).toBe(`${late}/\n`);
    await rm(hermesHome, { recursive: true });
    await mkdir(hermesHome);
    await writeFile(join(hermesHome, 'state.db'), 'sessions');
    expect((await run(`ls -A ${hermesHome}`)).output).toBe('');
  });

  it('looks up paths as commands see them', async () => {
    await run('mkdir -p real/sub; touch real/file; ln -sfn real link; ln -sfn /tmp/t.txt out; touch /tmp/t.txt');
    expect(await sandbox.stat('real/sub')).toMatchObject({ kind: 'directory' });
    expect(await sandbox.stat('link/file')).toMatchObject({ kind: 'file', size: 0 });
    expect(await sandbox.stat('out')).toMatchObject({ kind: 'file' });
    expect(await sandbox.stat('real/none')).toBeUndefined();
    expect(await sandbox.resolvePath('link/sub')).toBe(join(folder, 'real/sub'));
    expect(await sandbox.resolvePath('real/./sub/')).toBe(join(folder, 'real/sub'));
    expect(await sandbox.resolvePath('link/../x')).toBe(join(folder, 'x'));
  });

  it('can read spill files although they are in the hidden folder', async () => {
    const spillFolder = join(hermesHome, 'cache/spill');
    await mkdir(spillFolder, { recursive: true });
    await writeFile(join(spillFolder, 'a.txt'), 'all of it');
    const terminal = { backend: 'sandbox', passedVariables: [], sandboxNetwork: true, ssh: {} };
    const shared = await createEnvironment({ terminal, workingDirectory: folder, home: hermesHome, spillFolder });
    expect(Buffer.from(await shared.readFile(join(spillFolder, 'a.txt'))).toString()).toBe('all of it');
    await expect(shared.readFile(join(spillFolder, '../../state.db'))).rejects.toThrow('ENOENT');
    await shared.close();
  });
});

describe.skipIf(missing !== '')(`bubblewrap that fails before the command runs${missing}`, () => {
  it('is started again, and the command runs once', async () => {
    const folder = await realpath(await mkdtemp('/var/tmp/hermes-bwrap-'));
    const programs = join(folder, 'programs');
    const workingDirectory = join(folder, 'project');
    await mkdir(programs);
    await mkdir(workingDirectory);
    const real = execFileSync('which', ['bwrap'], { encoding: 'utf8' }).trim();
    const fails = `if [ -e ${folder}/fail ]; then rm ${folder}/fail; echo "bwrap: Can't remount readonly on /newroot/x: No such file or directory" >&2; exit 1; fi`;
    await writeFile(join(programs, 'bwrap'), `#!/bin/sh\n${fails}\nexec ${real} "$@"\n`, { mode: 0o755 });
    const env = { ...process.env, PATH: `${programs}:${process.env['PATH']}` };
    await writeFile(join(folder, 'fail'), '');
    const sandbox = await createSandboxEnvironment({ workingDirectory, network: false, hidden: [], env });
    for (const n of [1, 2, 3]) {
      await writeFile(join(folder, 'fail'), '');
      const { output, exitCode } = await sandbox.run(`echo ${n} | tee -a runs`, options);
      expect({ output, exitCode }).toEqual({ output: `${n}\n`, exitCode: 0 });
      await rm(join(folder, 'fail'), { force: true });
    }
    await writeFile(join(folder, 'fail'), '');
    expect(String(await sandbox.readFile('runs'))).toBe('1\n2\n3\n');
    const own = 'echo "bwrap: Can\'t bind mount: No such file or directory" >&2; echo x >> own; exit 1';
    expect((await sandbox.run(own, options)).exitCode).toBe(1);
    expect(await readFile(join(workingDirectory, 'own'), 'utf8')).toBe('x\n');
    await sandbox.close();
    await rm(folder, { recursive: true });
  });
});

describe('a sandbox that is not available', () => {
  it('reports what to install, without a fallback', async () => {
    const wanted = { workingDirectory: tmpdir(), network: true, hidden: [], env: { PATH: '/nowhere' } };
    await expect(createSandboxEnvironment(wanted)).rejects.toMatchObject({
      message: expect.stringContaining('bubblewrap (bwrap) is not installed'),
      hint: expect.stringContaining('apt install bubblewrap'),
    });
  });

  it('reports which permission is missing', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hermes-bwrap-'));
    await writeFile(join(folder, 'bwrap'), '#!/bin/sh\necho "No permissions to create new namespace" >&2\nexit 1\n', {
      mode: 0o755,
    });
    const wanted = { workingDirectory: tmpdir(), network: true, hidden: [], env: { PATH: folder } };
    await expect(createSandboxEnvironment(wanted)).rejects.toMatchObject({
      message: expect.stringContaining('No permissions to create new namespace'),
      hint: expect.stringContaining('Allow user namespaces'),
    });
    await rm(folder, { recursive: true });
  });
});
