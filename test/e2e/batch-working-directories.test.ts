import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createFakeEngine } from '../../src/environments/containers/container-engine.fixture.ts';
import { verifies } from '../spec/verifies.ts';
import { dose, fullDoseOnly } from '../support/dose.ts';
import { manyPrompts, readRun, writePrompts } from '../support/batch-fixture.ts';
import { useCliFixture } from '../support/cli-fixture.ts';
import { runHermes } from '../support/run-hermes.ts';
import { PNG } from '../support/sample-files.ts';

describe('the working directories of batch prompts', () => {
  const fixture = useCliFixture();
  const out = () => join(fixture.home.workspace, 'out');
  const run = (...more: string[]) =>
    runHermes(['batch', 'run', '--input', 'prompts.jsonl', '--output', 'out', ...more], { home: fixture.home });
  const runCommand = (command: string) =>
    fixture.server.setScript(({ toolResults }) =>
      toolResults.length > 0
        ? { text: toolResults[0]?.content ?? '', reasoning: 'hm' }
        : { reasoning: 'hm', toolCalls: [{ id: 'call_1', name: 'terminal', arguments: { command } }] },
    );

  verifies(
    'TRAJ-4',
    'a prompt with an image gets its own container, which is removed with it',
    fullDoseOnly,
    async () => {
      const engine = createFakeEngine('docker');
      onTestFinished(engine.close);
      await fixture.configure(`terminal:\n  container_engine: ${engine.program}\n`);
      runCommand('echo inside');
      // The fake container engine uses the folders of this machine.
      const cwd = fixture.home.workspace;
      await writePrompts(fixture.home, [
        { prompt: 'one', image: 'debian:12', cwd },
        { prompt: 'two', docker_image: 'alpine', cwd },
        { prompt: 'three' },
      ]);
      const { exitCode, stderr } = await run();
      expect(exitCode, stderr + JSON.stringify((await readRun(out())).failed)).toBe(0);
      const started = engine.calls().filter(([name]) => name === 'run');
      expect(started.map((words) => words.find((word) => /^(debian:12|alpine)$/.test(word))).sort()).toEqual([
        'alpine',
        'debian:12',
      ]);
      expect(engine.containers()).toEqual({});
      const { trajectories } = await readRun(out());
      expect(trajectories.map(({ metadata }) => [metadata['image'], metadata['docker_image']])).toEqual([
        ['debian:12', null],
        [null, 'alpine'],
        [null, null],
      ]);
    },
  );

  it('each prompt has an empty folder of its own unless it names one', async () => {
    await fixture.configure();
    runCommand('ls; touch here');
    await mkdir(join(fixture.home.workspace, 'shared'));
    await writePrompts(fixture.home, [
      ...manyPrompts(3),
      { prompt: 'named', cwd: 'shared' },
      { prompt: 'lost', cwd: 'nowhere' },
    ]);
    await writeFile(join(fixture.home.workspace, 'shared', 'present.txt'), '');
    await run('--workers', '1');
    const { trajectories, failed } = await readRun(out());
    const answers = trajectories.map((line) => (line['conversations'] as { value: string }[]).at(-1)?.value ?? '');
    expect(answers.map((text) => /here|present\.txt/.exec(text)?.[0])).toEqual([
      undefined,
      undefined,
      undefined,
      'present.txt',
    ]);
    expect(failed.map((line) => line['reason'])).toEqual([expect.stringContaining('is not a folder')]);
  });

  it('image files are sent with the prompts that name them', async () => {
    await fixture.configure('model_overrides:\n  test-model: { vision: true }\n');
    fixture.server.setScript(() => ({ text: 'a dot', reasoning: 'hm' }));
    await writeFile(join(fixture.home.workspace, 'dot.png'), PNG);
    await writePrompts(fixture.home, [
      { prompt: 'what is it?', images: ['dot.png'] },
      { prompt: 'and this?', images: ['no.png'] },
    ]);
    await run();
    expect(fixture.server.requests[0]?.rawBody).toContain(PNG.toString('base64'));
    expect((await readRun(out())).failed[0]).toMatchObject({
      prompt_index: 1,
      reason: expect.stringContaining('no.png') as string,
    });
  });

  it('a full disk ends the run with a message, and finished prompts are kept', fullDoseOnly, async ({ skip }) => {
    const disk = await mkdtemp(join(tmpdir(), 'hermes-disk-'));
    const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=3m,mode=700', 'hermes-test', disk]);
    onTestFinished(async () => {
      if (status === 0) spawnSync('umount', ['-l', disk]);
      await rm(disk, { recursive: true, force: true });
    });
    if (status !== 0) return skip('no small disk can be mounted here');
    await fixture.configure();
    const prompts = dose(40, 60);
    fixture.server.setScript(() => ({ text: 'x'.repeat(100_000), reasoning: 'hm', chunkSize: 10_000 }));
    await writePrompts(fixture.home, manyPrompts(prompts));
    const first = await run('--output', join(disk, 'run'), '--workers', '2');
    expect([first.exitCode, first.stderr]).toEqual([1, expect.stringMatching(/disk is full|No space|no room/i)]);
    spawnSync('mount', ['-o', 'remount,size=60m', disk]);
    expect(await run('--output', join(disk, 'run'), '--resume')).toMatchObject({ exitCode: 0 });
    expect((await readRun(join(disk, 'run'))).trajectories).toHaveLength(prompts);
  });

  it('a read-only disk is reported before anything is spent', async ({ skip }) => {
    const disk = await mkdtemp(join(tmpdir(), 'hermes-disk-'));
    const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'ro', 'hermes-test', disk]);
    onTestFinished(async () => {
      if (status === 0) spawnSync('umount', ['-l', disk]);
      await rm(disk, { recursive: true, force: true });
    });
    if (status !== 0) return skip('no disk can be mounted here');
    await fixture.configure();
    await writePrompts(fixture.home, manyPrompts(1));
    const { exitCode, stderr } = await run('--output', join(disk, 'deep', 'run'));
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('the file system is read-only')]);
    expect(fixture.server.requests).toEqual([]);
  });
});
