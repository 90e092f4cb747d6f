import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import type { Environment } from '../../contracts/index.ts';
import { waitingForInput } from '../remote/remote-scripts.ts';
import { type ContainerOptions, createContainerEnvironment } from './container.ts';
import { createFakeEngine, type FakeEngine } from './container-engine.fixture.ts';
import { runProcessThat } from './container-exit.fixture.ts';
import { fullDoseOnly } from '../../../test/support/dose.ts';

const options = { timeoutMs: 20_000, signal: new AbortController().signal, maxOutput: 10_000 };

let engine: FakeEngine;
let home: string;
const opened: Environment[] = [];
beforeEach(() => {
  engine = createFakeEngine('docker');
  home = mkdtempSync(join(tmpdir(), 'hermes-containers-'));
});
afterEach(async () => {
  engine.fail('');
  for (const environment of opened.splice(0)) await environment.close();
  engine.close();
  rmSync(home, { recursive: true, force: true });
});

const usual = (): ContainerOptions => ({
  backend: 'docker',
  program: engine.program,
  image: 'debian',
  network: true,
  home,
  directory: '/',
  volumes: [],
  extraArguments: [],
  workingDirectory: '/work/My Project',
  mountsWorkingDirectory: false,
  persistent: true,
});

async function open(changes: Partial<ContainerOptions> = {}): Promise<Environment> {
  const environment = await createContainerEnvironment({ ...usual(), ...changes });
  opened.push(environment);
  return environment;
}

const called = (word: string) => engine.calls().filter(([first]) => first === word);
const only = (record: Record<string, string>) => Object.entries(record);

describe('a docker container', () => {
  verifies('TOOL-6', 'is created with few capabilities, limits, and no access to this machine', async () => {
    const environment = await open();
    const [name = ''] = Object.keys(engine.containers());
    expect(name).toMatch(/^hermes-my-project-[0-9a-f]{12}$/);
    expect(called('run')).toEqual([
      [
        'run',
        '--detach',
        '--name',
        name,
        '--label',
        'hermes-agent=1',
        '--workdir',
        '/',
        '--cap-drop',
        'ALL',
        '--cap-add',
        'CHOWN',
        '--cap-add',
        'DAC_OVERRIDE',
        '--cap-add',
        'FOWNER',
        '--cap-add',
        'SETGID',
        '--cap-add',
        'SETUID',
        '--security-opt',
        'no-new-privileges',
        '--pids-limit',
        '512',
        '--cpus',
        '1',
        '--memory',
        '5120m',
        '--shm-size',
        '1g',
        '--entrypoint',
        '/bin/sh',
        'debian',
        '-c',
        'trap "exit 0" TERM INT; while :; do sleep 3600 & wait $!; done',
      ],
    ]);
    expect(environment).toMatchObject({ name: 'docker', location: `docker ${name}`, isolated: true });
    expect(environment.system).toBe('Linux in a container with the image debian');
  });

  it('is created as configured', async () => {
    const rules = { cpu: 0.5, memory: 100, disk: 2000, network: false, extraArguments: ['--runtime=runc'] };
    const environment = await open({ ...rules, volumes: ['/a:/b:ro'], mountsWorkingDirectory: true });
    const line = called('run')[0]?.join(' ') ?? '';
    expect(line).toContain(
      '--pids-limit 512 --network none --cpus 0.5 --memory 100m --shm-size 1g --storage-opt size=2000m ' +
        '--volume /work/My Project:/workspace --volume /a:/b:ro --runtime=runc --entrypoint',
    );
    expect(environment.system).toContain('without network access');
  });

  verifies('TOOL-6', 'is isolated only if no local folder is mounted', async () => {
    expect((await open()).isolated).toBe(true);
    expect((await open({ volumes: ['/a:/a:ro'] })).isolated).toBe(false);
    expect((await open({ mountsWorkingDirectory: true })).isolated).toBe(false);
    expect((await open({ extraArguments: ['--privileged'] })).isolated).toBe(false);
  });

  it('receives only the named variables, and no value appears in a command line', async () => {
    const env = { ...process.env, GH_TOKEN: 'ghp_value', OTHER: 'x' };
    const environment = await open({ env, passedVariables: ['GH_TOKEN'] });
    expect((await environment.run('echo "[$GH_TOKEN][$OTHER]"', options)).output).toBe('[ghp_value][]\n');
    expect(engine.calls().flat().join(' ')).not.toContain('ghp_value');
  });

  verifies('TOOL-6', 'returns from a stopped command even if the engine hangs', fullDoseOnly, async () => {
    const environment = await open();
    engine.hangAt('stuck');
    const stopped = { output: '', leftRunning: false };
    const late = await environment.run('echo stuck', { ...options, timeoutMs: 300 });
    expect(late).toMatchObject({ ...stopped, ended: 'timeout' });
    const abort = new AbortController();
    const running = environment.run('echo stuck', { ...options, signal: abort.signal });
    abort.abort();
    expect(await running).toMatchObject({ ...stopped, ended: 'interrupted' });
    expect((await environment.run('echo well', options)).output).toBe('well\n');
  });

  it('starts no script before the engine forwards input', async () => {
    const environment = await open();
    await environment.run('echo begun', options);
    await environment.writeFile('/dev/null', 'text').catch(() => undefined);
    const scripts = called('exec').map((words) => words[words.indexOf('-c') + 1] ?? '');
    expect(scripts.length).toBeGreaterThan(1);
    expect(scripts.filter((script) => !script.startsWith('read -r g || exit 1\n'))).toEqual([]);
    const begin = (input: string) =>
      spawnSync('sh', ['-c', waitingForInput('echo begun')], { input, encoding: 'utf8' });
    expect([begin('\n').stdout, begin('').stdout, begin('').status]).toEqual(['begun\n', '', 1]);
  });

  it('resizes a terminal with a script in case the engine misses it', async () => {
    const environment = await open();
    const started = await environment.start('read line', { pty: { columns: 61, rows: 17 } });
    started.resize?.(90, 30);
    // Input is sent after the resize.
    await started.write('typed\r');
    await started.ended;
    expect(called('exec').map((words) => words.slice(-3))).toContainEqual([String(started.pid), '90', '30']);
  });
});

describe('the lifetime of a container', () => {
  verifies('TOOL-6', 'is stopped by the last process that uses it, and reused by the next', async () => {
    const [first, second] = [await open(), await open()];
    expect(called('run')).toHaveLength(1);
    await first.close();
    expect(only(engine.containers())).toEqual([[expect.any(String), 'true']]);
    await second.close();
    expect(only(engine.containers())).toEqual([[expect.any(String), 'false']]);
    await open();
    expect([called('run').length, called('start').length]).toEqual([1, 1]);
  });

  it('is removed with its lease if it is not persistent', async () => {
    const environment = await open({ persistent: false });
    await environment.close();
    expect([engine.containers(), readdirSync(join(home, 'containers/docker'))]).toEqual([{}, []]);
  });

  it('keeps running if background processes are kept', async () => {
    const environment = await open({ keepsBackground: true });
    await environment.close();
    expect(Object.values(engine.containers())).toEqual(['true']);
  });

  verifies('TOOL-6', 'is ended by the next process after a kill, unless that process uses it', async () => {
    for (const [name, kept] of [
      ['hermes-gone', false],
      ['hermes-kept', true],
    ] as const) {
      const users = join(home, 'containers/docker', name, 'users');
      mkdirSync(users, { recursive: true });
      writeFileSync(join(users, '999999999-a'), '999999999 long ago');
      if (kept) writeFileSync(join(users, '../kept'), '');
      writeFileSync(join(engine.folder, 'containers', name), 'true');
    }
    await open();
    expect(engine.containers()).toMatchObject({ 'hermes-kept': 'false' });
    expect(Object.keys(engine.containers())).not.toContain('hermes-gone');
  });

  it('is started again with the shell state if it was stopped', async () => {
    const environment = await open();
    await environment.run('cd /usr; export KEPT=1', options);
    const [name = ''] = Object.keys(engine.containers());
    writeFileSync(join(engine.folder, 'containers', name), 'false');
    expect((await environment.run('echo "$KEPT $PWD"', options)).output).toBe('1 /usr\n');
    writeFileSync(join(engine.folder, 'containers', name), 'false');
    expect(await environment.stat('/usr')).toMatchObject({ kind: 'directory' });
  });

  it('is not replaced by an empty one if it was removed', async () => {
    const environment = await open();
    const [name = ''] = Object.keys(engine.containers());
    rmSync(join(engine.folder, 'containers', name));
    await expect(environment.run('true', options)).rejects.toThrow(`the container ${name} no longer exists`);
    expect(called('run')).toHaveLength(1);
  });
});

describe('a process that ends without closing its container', () => {
  verifies('TOOL-6', 'stops the container when it exits', async () => {
    const { exited, record } = await runProcessThat('leave', usual());
    await exited;
    expect(Object.values(engine.containers())).toEqual(['false']);
    expect(readdirSync(join(engine.folder, 'tmp'))).toEqual([]);
    // The fake engine does not kill the process together with its container.
    const environment = await open();
    expect(called('run')).toHaveLength(1);
    expect(await (await environment.findProcess(record))?.kill()).toBe(true);
  });

  verifies('TOOL-6', 'leaves a container that the next process recovers when it is killed', async () => {
    const { child, exited, record } = await runProcessThat('wait', usual());
    child.kill('SIGKILL');
    await exited;
    expect(Object.values(engine.containers())).toEqual(['true']);
    const environment = await open();
    expect([called('run').length, called('start').length]).toEqual([1, 0]);
    const found = await environment.findProcess(record);
    expect(await found?.isRunning()).toBe(true);
    expect(await found?.kill()).toBe(true);
    await environment.close();
    expect(Object.values(engine.containers())).toEqual(['false']);
  });
});

const FAULTS: [words: string, message: RegExp, hint: RegExp][] = [
  [
    'Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?',
    /^Cannot use a docker container: the engine is not running \(Cannot connect/,
    /systemctl start docker/,
  ],
  [
    'permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock',
    /permission denied/,
    /usermod -aG docker/,
  ],
];

describe('an engine that cannot be used', () => {
  verifies('TOOL-6', 'is explained with a hint, and nothing runs elsewhere', async () => {
    for (const [words, message, hint] of FAULTS) {
      engine.fail(words);
      const fault = { message: expect.stringMatching(message), hint: expect.stringMatching(hint) };
      await expect(open()).rejects.toMatchObject(fault);
    }
  });

  it('is explained for a missing image, an unsupported limit, or a failed mount', async () => {
    const { explainEngine } = await import('./container-engine.ts');
    const subject = { engine: 'docker', backend: 'docker', image: 'debian', name: 'hermes-x' };
    const explain = (words: string) => {
      const { message, hint } = explainEngine(subject, words);
      return `${message} ${hint}`;
    };
    expect(explain("Unable to find image 'debian'\npull access denied for debian\nSee 'docker run --help'.")).toMatch(
      /the image debian was not found \(pull access denied.*terminal\.docker_image.*docker pull debian/,
    );
    expect(explain('Get "http://localhost/v2/": dial tcp 127.0.0.1:80: connect: connection refused')).toMatch(
      /registry cannot be reached/,
    );
    expect(explain('runc create failed: exec: "/bin/sh": stat /bin/sh: no such file or directory: unknown')).toMatch(
      /the image debian has no shell.*terminal\.docker_image/,
    );
    expect(explain('Range of CPUs is from 0.01 to 2.00')).toMatch(/fewer CPUs.*terminal\.container_cpu/);
    expect(explain('FATAL: mount source /nowhere does not exist\n\nFATAL: exit status 255')).toMatch(
      /a folder could not be mounted \(FATAL: mount source/,
    );
    expect(explain('dial tcp: lookup registry: no such host')).toMatch(/registry cannot be reached/);
    expect(explain('--storage-opt is supported only for overlay over xfs')).toMatch(/terminal\.container_disk/);
    expect(explain('invalid mount config: bind source path does not exist')).toMatch(/terminal\.docker_volumes/);
    expect(explain('INFO:    no cgroups on this host\nFATAL:   something new')).toMatch(/the engine failed \(FATAL:/);
    expect(explain('something new')).toMatch(/the engine failed \(something new\)\. Run "docker version"/);
    expect(explain('')).toMatch(/the engine did not respond in time\. Run/);
    expect(explain('Error: cannot find newuidmap: exec: "newuidmap": executable file not found in $PATH')).toMatch(
      /cannot create user namespaces.*uidmap/,
    );
    expect(explain('Error: unable to connect to Podman socket: dial unix /run/x: no such file or directory')).toMatch(
      /the engine is not running/,
    );
    expect(explain('Error: open /etc/containers/policy.json: no such file or directory')).toMatch(
      /the engine failed \(Error: open \/etc\/containers\/policy\.json/,
    );
    expect(explain('Error: default OCI runtime "crun" not found: invalid argument')).toMatch(/program .* is missing/);
    expect(explain('toomanyrequests: You have reached your unauthenticated pull rate limit.')).toMatch(/docker login/);
    expect(explain('no matching manifest for linux/arm64/v8 in the manifest list entries')).toMatch(/processor/);
    expect(explain('write /var/lib/docker/tmp/x: no space left on device')).toMatch(/the disk is full/);
    expect(explain('Error: statfs /nowhere: no such file or directory')).toMatch(/a folder could not be mounted/);
  });

  verifies('TOOL-6', 'is passed over for one that runs', async () => {
    const podman = createFakeEngine('podman');
    const both = { program: undefined, env: { PATH: `${engine.folder}:${podman.folder}` } };
    engine.fail(FAULTS[0]?.[0] ?? '');
    const environment = await open(both);
    expect((await environment.run('echo here', options)).output).toBe('here\n');
    expect([Object.keys(engine.containers()).length, Object.keys(podman.containers()).length]).toEqual([0, 1]);
    // A configured engine is never replaced.
    await expect(open({ ...both, program: engine.program })).rejects.toThrow('Cannot use a docker container');
    podman.fail('Error: cannot find newuidmap: exec: "newuidmap": executable file not found in $PATH');
    await expect(open({ ...both, workingDirectory: '/other' })).rejects.toMatchObject({
      message: expect.stringMatching(/docker container: the engine is not running.*podman container: this user cannot/),
      hint: expect.stringMatching(/^docker: Start it.* podman: Install the package uidmap/),
    });
    podman.fail('');
    await environment.close();
    podman.close();
  });

  verifies('TOOL-6', 'does not let the start of a background process hang', fullDoseOnly, async () => {
    const environment = await open({ startTimeoutMs: 300 });
    engine.hangAt('stuck');
    const message = 'The command did not start within 0.3 s.';
    await expect(environment.start('echo stuck')).rejects.toThrow(message);
    await expect(environment.start('echo stuck', { pty: { columns: 80, rows: 24 } })).rejects.toThrow(message);
    expect((await environment.run('echo well', options)).output).toBe('well\n');
  });

  it('is searched in PATH, and reported if it is missing', async () => {
    await expect(open({ program: undefined, env: { PATH: '/nowhere' } })).rejects.toMatchObject({
      message: 'terminal.backend is docker, but docker or podman is not installed.',
      hint: expect.stringContaining('apt install podman'),
    });
    engine.close();
    engine = createFakeEngine('podman');
    const environment = await open({ program: undefined, env: { PATH: `${engine.folder}:/nowhere` } });
    expect(engine.calls().length).toBeGreaterThan(1);
    expect(environment.name).toBe('docker');
    await expect(open({ backend: 'singularity', program: 'apptainer', env: { PATH: '' } })).rejects.toThrow(
      'but apptainer is not installed',
    );
  });
});
