import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { dose, fullDoseOnly } from '../../../test/support/dose.ts';
import type { ProcessRecord } from '../../contracts/index.ts';
import { type CloudBench, createCloudBench } from './cloud-bench.fixture.ts';
import { waitUntil } from '../../../test/support/wait-until.ts';

const options = { timeoutMs: 20_000, signal: new AbortController().signal, maxOutput: 10_000 };

describe.each(['modal', 'daytona'] as const)('a container at %s', (backend) => {
  let bench: CloudBench;
  beforeEach(async () => {
    bench = await createCloudBench(backend);
  });
  afterEach(() => bench.close());
  /** Both backends share the lease code, so in the small dose each of them runs only some of its tests. */
  const takesTurn = (turn: typeof backend) => dose(backend === turn, true);
  const leaseFolder = () => join(bench.home, 'containers', backend);

  verifies('TOOL-6', 'is ended by the last process that uses it, and its files are kept', async () => {
    const [first, second] = [await bench.open(), await bench.open()];
    expect(first).toMatchObject({ name: backend, isolated: true });
    expect(first.location).toMatch(new RegExp(`^${backend} hermes-my-project-[0-9a-f]{12}$`));
    expect(first.system).toBe(`Linux in a container with the image debian at ${backend}`);
    await first.run('echo one >~/kept.txt', options);
    await first.close();
    expect(bench.containers()).toEqual([true]);
    await second.close();
    expect(bench.containers()).not.toContain(true);
    const third = await bench.open();
    expect((await third.run('cat ~/kept.txt; pwd', options)).output).toMatch(/^one\n/);
    await third.close();
    const fourth = await bench.open();
    expect((await fourth.run('cat ~/kept.txt', options)).output).toBe('one\n');
  });

  it('is removed with its lease if it is not persistent', async () => {
    const environment = await bench.open({ persistent: false });
    expect(bench.containers()).toEqual([true]);
    await environment.close();
    expect([bench.containers(), readdirSync(leaseFolder())]).toEqual([[], []]);
  });

  it('keeps running if background processes are kept', async () => {
    await (await bench.open({ keepsBackground: true })).close();
    expect(bench.containers()).toEqual([true]);
  });

  verifies('TOOL-6', 'passes only the named variables to commands, and no API key', async () => {
    const environment = await bench.open({ passedVariables: ['CONFORMANCE_TOKEN'] });
    const { output } = await environment.run('env', options);
    expect(output).toContain('CONFORMANCE_TOKEN=wanted');
    expect(output).not.toMatch(/secret|ak-test|as-test|dtn_test/);
  });

  // The SDK of Modal retries for ten seconds.
  if (takesTurn('daytona'))
    verifies('TOOL-6', 'is not replaced by an empty one if it ends during a command', async () => {
      const environment = await bench.open();
      const running = environment.run('echo begun; sleep 999.5', options);
      await waitUntil(() =>
        expect(environment.run('pgrep -f "^sleep 999.5"', options)).resolves.toMatchObject({ exitCode: 0 }),
      );
      bench.lose();
      await expect(running).rejects.toThrow(/connection was lost while the command was running/);
      await expect(environment.run('true', options)).rejects.toThrow(/no longer exists/);
      await expect(environment.readFile('/etc/hostname')).rejects.toThrow(/no longer exists/);
      expect(bench.made()).toBe(1);
    });

  verifies('TOOL-6', 'explains a failure of the service, and nothing runs elsewhere', async () => {
    const failure = (what: RegExp, hint: RegExp) => ({
      message: expect.stringMatching(what) as string,
      hint: expect.stringMatching(hint) as string,
    });
    bench.fail('quota');
    await expect(bench.open()).rejects.toMatchObject(failure(/quota of your account is exhausted/, /container_cpu/));
    bench.fail('unavailable');
    await expect(bench.open()).rejects.toMatchObject(failure(/the service cannot be reached/, /Check the network/));
    bench.fail(undefined);
    const wrong = Object.fromEntries(
      Object.entries(bench.variables).map(([name, value]) => [name, value.replace(/_test$|-test$/, '-wrong')]),
    );
    await expect(bench.open({ variables: wrong })).rejects.toMatchObject(
      failure(/API key was rejected/, backend === 'modal' ? /MODAL_TOKEN_ID/ : /DAYTONA_API_KEY/),
    );
    expect(JSON.stringify(await bench.open({ variables: wrong }).catch((thrown: unknown) => thrown))).not.toContain(
      'wrong',
    );
    await expect(bench.open({ variables: {} })).rejects.toMatchObject(failure(/no API key is set/, /\.env/));
    expect(bench.made()).toBe(0);
  });

  it('times out if it cannot be created', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    bench.delay(promise);
    await expect(bench.open({ createMs: 300 })).rejects.toThrow(/the request timed out/);
    resolve();
  });

  if (takesTurn('daytona'))
    verifies(
      'TOOL-6',
      'is ended by the next process after a kill, unless that process uses it',
      fullDoseOnly,
      async () => {
        const { child, exited } = await runProgramThat('wait', false);
        child.kill('SIGKILL');
        await exited;
        expect(bench.containers()).toEqual([true]);
        await bench.open();
        expect([bench.containers(), bench.made()]).toEqual([[true], 2]);
        expect(readdirSync(leaseFolder())).toHaveLength(1);
      },
    );

  if (takesTurn('modal'))
    verifies('TOOL-6', 'is ended when the process exits, which does not wait for it', fullDoseOnly, async () => {
      await (await runProgramThat('leave', true)).exited;
      await waitUntil(() => expect(bench.containers()).not.toContain(true));
      await waitUntil(() =>
        expect(existsSync(join(leaseFolder(), readdirSync(leaseFolder())[0] ?? '', 'users'))).toBe(false),
      );
      const environment = await bench.open();
      expect((await environment.run('cat ~/left.txt', options)).output).toBe('kept\n');
      // Only the folder of the new process is left.
      expect((await environment.run('ls -d "$TMPDIR"/hermes-?????? | wc -l', options)).output.trim()).toBe('1');
    });

  it.runIf(takesTurn('daytona'))(
    'keeps running without the processes that were to end at exit',
    fullDoseOnly,
    async () => {
      const { exited, record } = await runProgramThat('leave', true, { keepsBackground: true });
      await exited;
      const environment = await bench.open();
      await waitUntil(async () => expect(await environment.findProcess(record)).toBeUndefined());
      expect([bench.containers(), bench.made()]).toEqual([[true], 1]);
    },
  );

  /** Runs a separate process that opens a container for the same folder, and returns the record of what it started. */
  async function runProgramThat(ending: 'leave' | 'wait', persistent: boolean, more: Record<string, unknown> = {}) {
    const file = fileURLToPath(new URL('cloud-leaving.fixture.ts', import.meta.url));
    const { home, variables } = bench;
    const words = JSON.stringify({
      backend,
      image: 'debian',
      network: true,
      persistent,
      home,
      variables,
      ending,
      workingDirectory: '/work/My Project',
      ...more,
    });
    const child = spawn(process.execPath, [file, words], { stdio: ['ignore', 'pipe', 'inherit'] });
    const exited = once(child, 'exit');
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    return { child, exited, record: JSON.parse(line.toString()) as ProcessRecord };
  }
});

it('reports the image that the service could not use', async () => {
  const bench = await createCloudBench('modal');
  await expect(bench.open({ image: 'broken' })).rejects.toMatchObject({
    message: expect.stringContaining('the image broken cannot be used') as string,
    hint: expect.stringContaining('terminal.modal_image') as string,
  });
  await bench.close();
});

describe('loadSdk', () => {
  it('reports how to install a missing SDK, and searches the home directory first', async () => {
    const { loadSdk } = await import('./cloud-sdk.ts');
    const { MODAL_SDK } = await import('./modal-service.ts');
    const bench = await createCloudBench('daytona');
    const nowhere = 'file:///nowhere/at/all.ts';
    await expect(loadSdk(MODAL_SDK, bench.home, nowhere)).rejects.toMatchObject({
      message: 'terminal.backend is modal, but the package modal is not installed.',
      hint: expect.stringContaining(`"npm install --prefix ${bench.home}/packages modal@0.11.1"`) as string,
    });
    const folder = join(bench.home, 'packages/node_modules/modal/dist');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'index.js'), 'export const Modal = 1;');
    await expect(loadSdk(MODAL_SDK, bench.home, nowhere)).rejects.toThrow('is a different package of the same name');
    await bench.close();
  });
});
