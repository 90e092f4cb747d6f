import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import type { Environment } from '../../contracts/index.ts';
import { isRunning, uniqueSeconds, variablesWithSecret } from '../conformance/bench.ts';
import { describeEnvironment } from '../conformance.ts';
import { type ContainerOptions, createContainerEnvironment } from './container.ts';
import { runProcessThat } from './container-exit.fixture.ts';
import { createExitTasks } from '../exit-tasks.ts';
import { containerSkipReason, type RealEngine, realEngine } from '../skip-tests.fixture.ts';

type Backend = ContainerOptions['backend'];

const exitTasks = createExitTasks();
const commandOptions = { timeoutMs: 20_000, signal: new AbortController().signal, maxOutput: 10_000 };
const runIn = async (environment: Environment, command: string) =>
  (await environment.run(command, commandOptions)).output;

for (const [backend, variable] of [
  ['docker', 'HERMES_TEST_DOCKER'],
  ['singularity', 'HERMES_TEST_APPTAINER'],
] as const) {
  const isMissing = containerSkipReason(variable);
  const engine = realEngine(variable) ?? { program: '', image: '', extraArguments: [] };
  describe.skipIf(isMissing !== '')(`with a real engine${isMissing}`, () => {
    let home = '';
    beforeAll(() => {
      home = mkdtempSync(join(tmpdir(), 'hermes-engine-'));
    });
    afterAll(() => rmSync(home, { recursive: true, force: true }));
    // The test folder is mounted under the same path.
    describeEnvironment(backend, (workingDirectory) =>
      createContainerEnvironment({
        ...engine,
        backend,
        home,
        network: true,
        persistent: false,
        mountsWorkingDirectory: false,
        workingDirectory,
        directory: workingDirectory,
        volumes: [`${workingDirectory}:${workingDirectory}`],
        env: variablesWithSecret(),
        exitTasks,
      }),
    );
    const bench = createBench(backend, engine);
    afterEach(bench.clear);
    describeIsolation(bench);
    describeSharing(bench);
    describeLoss(bench);
    if (backend === 'docker') describeFaults(bench);
  });
}

type Bench = ReturnType<typeof createBench>;

/** Opens containers for one folder, queries the engine about them, and removes them all. */
function createBench(backend: Backend, engine: RealEngine) {
  const home = join(tmpdir(), `hermes-real-${randomBytes(4).toString('hex')}`);
  const folder = basename(home);
  const opened: Environment[] = [];
  const ask = (...args: string[]) => spawnSync(engine.program, args, { encoding: 'utf8' }).stdout.trim();
  const options: ContainerOptions = {
    ...engine,
    backend,
    home,
    workingDirectory: home,
    mountsWorkingDirectory: false,
    volumes: [],
    network: true,
    persistent: true,
  };
  const list = (...more: string[]): string[] => {
    const words =
      backend === 'docker'
        ? ask('ps', '--filter', `name=${folder}`, '--format', '{{.Names}}', ...more)
        : ask('instance', 'list').replaceAll(/ .*/g, '');
    return words.split('\n').filter((name) => name.includes(folder));
  };
  const remove = (name: string) =>
    backend === 'docker' ? ask('rm', '--force', name) : ask('instance', 'stop', '--timeout', '1', name);
  return {
    backend,
    options,
    home,
    remove,
    async open(changes: Partial<ContainerOptions> = {}) {
      const environment = await createContainerEnvironment({ exitTasks, ...options, ...changes });
      opened.push(environment);
      return environment;
    },
    running: () => list(),
    all: () => list(...(backend === 'docker' ? ['--all'] : [])),
    stop: (name: string) => (backend === 'docker' ? ask('stop', '-t', '1', name) : remove(name)),
    async clear() {
      for (const environment of opened.splice(0)) await environment.close().catch(() => undefined);
      for (const name of list(...(backend === 'docker' ? ['--all'] : []))) remove(name);
      rmSync(home, { recursive: true, force: true });
    },
  };
}

function describeIsolation({ backend, home, open, all }: Bench): void {
  describe('a real container', () => {
    verifies('TOOL-6', 'starts in its own folder, without access to this machine', async () => {
      const env = { ...process.env, GH_TOKEN: 'ghp_value', OTHER: 'other' };
      const environment = await open({ env, passedVariables: ['GH_TOKEN'], persistent: false });
      const place = (await runIn(environment, 'touch here; ls "$PWD"; echo "$PWD $HOME"')).split('\n');
      expect(place[0]).toBe('here');
      const [directory, inside] = place[1]?.split(' ') ?? [];
      expect(directory).toBe(backend === 'docker' ? '/workspace' : inside);
      expect(await runIn(environment, `[ -e '${home}' ] || echo "apart $GH_TOKEN[$OTHER]"`)).toBe(
        'apart ghp_value[]\n',
      );
      await environment.close();
      expect(all()).toEqual([]);
    });

    verifies('TOOL-6', 'has few capabilities, and no network if disabled', async () => {
      const environment = await open({ network: false, persistent: false });
      const rights = await runIn(environment, 'grep -E "^(CapEff|NoNewPrivs)" /proc/self/status | tr -d "\\t"');
      expect(rights).toBe(`CapEff:${backend === 'docker' ? '00000000000000cb' : '0000000000000000'}\nNoNewPrivs:1\n`);
      expect(await runIn(environment, 'tail -n +3 /proc/net/dev | grep -v " lo:" | wc -l')).toBe('0\n');
    });

    it.skipIf(backend !== 'docker')('has the configured limits', async () => {
      const environment = await open({ memory: 64, cpu: 0.5, persistent: false });
      // The paths differ between cgroup versions 1 and 2.
      const limits =
        'cd /sys/fs/cgroup; cat memory.max pids.max memory/memory.limit_in_bytes pids/pids.max 2>/dev/null';
      expect(await runIn(environment, limits)).toBe(`${64 * 1024 * 1024}\n512\n`);
      const processors = "cat cpu.max 2>/dev/null || cat cpu/cpu.cfs_quota_us cpu/cpu.cfs_period_us | tr '\\n' ' '";
      expect((await runIn(environment, `cd /sys/fs/cgroup; ${processors}`)).trim()).toBe('50000 100000');
    });
  });
}

function describeSharing({ backend, options, open, running, all }: Bench): void {
  describe('the lifetime of a real container', () => {
    verifies('TOOL-6', 'is shared by two concurrent users, and reused with its content', async () => {
      const [first, second] = await Promise.all([open(), open()]);
      expect(running()).toHaveLength(1);
      await runIn(first, 'echo kept >~/kept');
      await first.close();
      expect(await runIn(second, 'cat ~/kept')).toBe('kept\n');
      await second.close();
      expect(running()).toEqual([]);
      expect(await runIn(await open(), 'cat ~/kept')).toBe('kept\n');
      expect(all()).toHaveLength(1);
    });

    verifies('TOOL-6', 'ends when the process exits without closing it', async () => {
      const seconds = uniqueSeconds();
      const { exited } = await runProcessThat('leave', options, seconds);
      await exited;
      expect([running(), isRunning(`sleep ${seconds}`)]).toEqual([[], false]);
    });

    verifies('TOOL-6', 'outlives a killed process until the next one ends it', async () => {
      const seconds = uniqueSeconds();
      const { child, exited, record } = await runProcessThat('wait', options, seconds);
      child.kill('SIGKILL');
      await exited;
      expect(running()).toHaveLength(1);
      const environment = await open();
      const found = await environment.findProcess(record);
      expect(await found?.isRunning()).toBe(true);
      expect(await found?.kill()).toBe(true);
      expect(isRunning(`sleep ${seconds}`)).toBe(false);
      const again = await runProcessThat('wait', options);
      again.child.kill('SIGKILL');
      await again.exited;
      await environment.close();
      await open({ network: false });
      expect(running()).toHaveLength(1);
      expect(all()).toHaveLength(backend === 'docker' ? 2 : 1);
    });
  });
}

function describeLoss({ backend, open, running, stop, remove }: Bench): void {
  describe('a real container that is ended by somebody else', () => {
    it('is started again if it was stopped', async () => {
      const environment = await open();
      await runIn(environment, 'cd /usr; export KEPT=1; echo kept >~/kept');
      stop(running()[0] ?? '');
      expect(await runIn(environment, 'echo "$PWD $(cat ~/kept)"')).toBe('/usr kept\n');
      stop(running()[0] ?? '');
      expect(await environment.stat('/usr')).toMatchObject({ kind: 'directory' });
    });

    it.skipIf(backend !== 'docker')('is not replaced by an empty one if it was removed', async () => {
      const environment = await open();
      const [name = ''] = running();
      remove(name);
      await expect(runIn(environment, 'true')).rejects.toThrow(`the container ${name} no longer exists`);
    });

    it('fails the running command', async () => {
      const environment = await open();
      const begun = Promise.withResolvers<void>();
      const command = environment.run('sleep 30', { ...commandOptions, onBegun: () => begun.resolve() });
      await begun.promise;
      stop(running()[0] ?? '');
      const outcome = await command.catch((thrown: unknown) => String(thrown));
      expect(outcome).not.toMatchObject({ exitCode: 0 });
    });
  });
}

function describeFaults({ home, open, all, options }: Bench): void {
  describe('a real engine', () => {
    verifies('TOOL-6', 'is explained if it is not running, and nothing runs elsewhere', async () => {
      const nowhere = `unix://${home}/none.sock`;
      const env = { ...process.env, CONTAINER_HOST: nowhere, DOCKER_HOST: nowhere };
      await expect(open({ env })).rejects.toMatchObject({
        message: expect.stringMatching(/^Cannot use a \w+ container: the engine is not running \(.*connect/i),
        hint: expect.stringContaining('Start it'),
      });
    });

    it.skipIf(basename(options.program ?? '') !== 'podman')(
      'is used instead of a docker that does not run',
      async () => {
        const folder = mkdtempSync(join(tmpdir(), 'hermes-docker-'));
        const nowhere = `unix://${folder}/none.sock`;
        const hasDocker = spawnSync('docker', ['--version']).status === 0;
        // Without docker, another client that finds no service.
        const client = `#!/bin/sh\nexec podman --remote --url '${nowhere}' "$@"\n`;
        if (!hasDocker) writeFileSync(join(folder, 'docker'), client, { mode: 0o755 });
        const env = { ...process.env, DOCKER_HOST: nowhere, PATH: `${folder}:${process.env['PATH']}` };
        const environment = await open({ program: undefined, env });
        expect(await runIn(environment, 'echo here')).toBe('here\n');
        expect(all()).toHaveLength(1);
        rmSync(folder, { recursive: true, force: true });
      },
    );

    it('reports a missing image or folder, and leaves no container', async () => {
      await expect(open({ image: '127.0.0.1:9/none' })).rejects.toThrow(
        /is not available locally, and its registry cannot be reached/,
      );
      await expect(open({ directory: '/nowhere' })).rejects.toThrow('the directory /nowhere does not exist');
      expect(all().length).toBeLessThan(2);
    });
  });
}
