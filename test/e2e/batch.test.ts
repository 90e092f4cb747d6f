import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startHermes } from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { fullDoseOnly } from '../support/dose.ts';
import { manyPrompts, oneCallEach, readRun, writePrompts } from '../support/batch-fixture.ts';
import { useCliFixture } from '../support/cli-fixture.ts';
import { runHermes } from '../support/run-hermes.ts';

const COLUMNS = [
  'prompt_index',
  'conversations',
  'metadata',
  'completed',
  'partial',
  'api_calls',
  'toolsets_used',
  'tool_stats',
  'tool_error_counts',
];

describe('hermes batch run', () => {
  const fixture = useCliFixture();
  const out = () => join(fixture.home.workspace, 'out');
  const run = (...more: string[]) =>
    runHermes(['batch', 'run', '--input', 'prompts.jsonl', '--output', 'out', ...more], { home: fixture.home });

  verifies(
    'TRAJ-4',
    'writes the same columns on every line, with all known tools, in the order of the prompts',
    async () => {
      await fixture.configure();
      fixture.server.setScript(oneCallEach);
      await writePrompts(fixture.home, [
        { prompt: 'print number 1', difficulty: 'hard' },
        { prompt: 'print number 2', metadata: { source: 'gsm8k', model: 'replaced' } },
        ...manyPrompts(10),
      ]);
      const { exitCode, stdout, stderr } = await run('--batch-size', '5', '--workers', '3');
      expect(stderr).toContain('The metadata keys "model"');
      expect([exitCode, stdout.split('\n')[0]]).toEqual([0, `12 samples of 12 prompts in ${out()}/trajectories.jsonl`]);
      const { trajectories, parts, statistics } = await readRun(out());
      expect(trajectories.map((line) => line['prompt_index'])).toEqual(Array.from({ length: 12 }, (_, index) => index));
      expect(Object.keys(parts)).toEqual([
        'batch_001_output.jsonl',
        'batch_002_output.jsonl',
        'batch_003_output.jsonl',
      ]);
      for (const line of trajectories) {
        expect(Object.keys(line)).toEqual(COLUMNS);
        expect(Object.keys(line.metadata)).toEqual(['difficulty', 'source', 'id', 'batch_num', 'timestamp', 'model']);
        expect(Object.keys(line['tool_stats'] as object)).toEqual(
          Object.keys(trajectories[0]?.['tool_stats'] as object),
        );
        expect(line['tool_stats']).toMatchObject({
          terminal: { count: 1, success: 1, failure: 0 },
          todo: { count: 0 },
        });
      }
      expect(trajectories[1]?.metadata).toMatchObject({ difficulty: null, source: 'gsm8k', id: null, batch_num: 1 });
      expect(trajectories[7]?.metadata).toMatchObject({ batch_num: 2, model: 'test-model' });
      expect(statistics).toMatchObject({ prompts: 12, kept: 12, failed: 0, left: 0, completed: 12, api_calls: 24 });
      expect(statistics['tool_statistics']).toMatchObject({ terminal: { count: 12, success_rate: 1 } });
      const files = ['trajectories.jsonl', 'batch_002_output.jsonl'].map((name) => join(out(), name));
      const checked = await runHermes(['trajectories', 'check', ...files], { home: fixture.home });
      expect([checked.exitCode, checked.stderr]).toEqual([0, '']);
    },
  );

  verifies(
    'TRAJ-4',
    'stores its sessions in the folder of the run, and leaves the home unchanged',
    fullDoseOnly,
    async () => {
      await fixture.configure();
      fixture.server.setScript(oneCallEach);
      await writePrompts(fixture.home, manyPrompts(2));
      expect((await run()).exitCode).toBe(0);
      await expect(access(join(fixture.home.path, 'state.db'))).rejects.toThrow('ENOENT');
      const listed = await runHermes(['sessions', 'list', '--json'], {
        home: fixture.home,
        env: { HERMES_HOME: join(out(), 'run') },
      });
      expect(JSON.parse(listed.stdout)).toMatchObject([{ source: 'batch' }, { source: 'batch' }]);
    },
  );

  verifies('TRAJ-4', 'drops samples without reasoning, and does not run them again', async () => {
    await fixture.configure();
    fixture.server.setScript(({ lastUserText }) =>
      lastUserText.includes('2') ? { text: 'plain' } : { text: 'ok', reasoning: 'hm' },
    );
    await writePrompts(fixture.home, manyPrompts(4));
    const first = await run();
    expect([first.exitCode, first.stdout]).toEqual([0, expect.stringContaining('1 sample dropped (no reasoning)')]);
    expect((await run('--resume')).exitCode).toBe(0);
    expect(fixture.server.requests).toHaveLength(4);
    const { trajectories, statistics } = await readRun(out());
    expect(trajectories.map((line) => line['prompt_index'])).toEqual([0, 1, 3]);
    expect(statistics).toMatchObject({ kept: 3, dropped_without_reasoning: 1 });
  });

  it('writes unusable and failed prompts to failed.jsonl, and retries the failed ones', fullDoseOnly, async () => {
    await fixture.configure();
    let broken = true;
    fixture.server.setScript(({ lastUserText }) =>
      broken && lastUserText.includes('number 1')
        ? { fault: { type: 'status', status: 400, message: 'what is that' } }
        : { text: 'ok', reasoning: 'hm' },
    );
    const long = 'x'.repeat(5_000_000);
    const lines = [
      '{"prompt": ',
      '[]',
      '{"question": "?"}',
      { prompt: ' ' },
      '',
      { prompt: 'twice' },
      { prompt: 'twice' },
    ];
    await writePrompts(fixture.home, [...manyPrompts(2), ...lines, { prompt: long }]);
    const first = await run();
    expect([first.exitCode, first.stderr]).toEqual([3, expect.stringContaining('line 3: The line is not valid JSON.')]);
    const before = await readRun(out());
    expect(before.failed.map(({ prompt_index, reason }) => [prompt_index, reason])).toEqual([
      [1, expect.stringContaining('what is that')],
      [2, 'Line 3: The line is not valid JSON.'],
      [3, 'Line 4: The line is not a JSON object such as {"prompt": "…"}.'],
      [4, 'Line 5: The field "prompt" is missing; the line has "question".'],
      [5, 'Line 6: The field "prompt" is empty.'],
    ]);
    expect(before.trajectories.map((line) => line['prompt_index'])).toEqual([0, 6, 7, 8]);
    broken = false;
    await run('--resume');
    const after = await readRun(out());
    expect(after.failed.map((line) => line['prompt_index'])).toEqual([2, 3, 4, 5]);
    expect(after.trajectories.map((line) => line['prompt_index'])).toEqual([0, 1, 6, 7, 8]);
  });

  verifies('TRAJ-4', 'draws tool sets for each prompt, the same in every run with the same seed', async () => {
    await fixture.configure();
    fixture.server.setScript(() => ({ text: 'ok', reasoning: 'hm' }));
    await writePrompts(fixture.home, manyPrompts(12));
    await run('--distribution', 'balanced', '--limit', '5');
    await run('--resume');
    const offered = (number: number) =>
      fixture.server.requests.find((request) => request.lastUserText.endsWith(` ${number}`));
    const { trajectories } = await readRun(out());
    const sets = trajectories.map((line) => (line['toolsets_used'] as string[]).join());
    expect(new Set(sets).size).toBeGreaterThan(3);
    for (const [index, used] of sets.entries()) {
      expect(offered(index)?.toolNames.includes('terminal'), `prompt ${index}`).toBe(used.includes('terminal'));
    }
    await runHermes(['batch', 'run', '--input', 'prompts.jsonl', '--output', 'again', '--distribution', 'balanced'], {
      home: fixture.home,
    });
    const again = await readRun(join(fixture.home.workspace, 'again'));
    expect(again.trajectories.map((line) => (line['toolsets_used'] as string[]).join())).toEqual(sets);
  });

  it('rejects a folder of another run, other columns and another model before anything is spent', async () => {
    await fixture.configure();
    fixture.server.setScript(() => ({ text: 'ok', reasoning: 'hm' }));
    await writePrompts(fixture.home, manyPrompts(2));
    await mkdir(out());
    await writeFile(join(out(), 'thesis.txt'), 'mine');
    expect(await run()).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('that do not belong to a batch run') as string,
    });
    const other = (...more: string[]) =>
      runHermes(['batch', 'run', '--input', 'prompts.jsonl', '--output', 'other', ...more], { home: fixture.home });
    await other();
    const seen = fixture.server.requests.length;
    expect(await other()).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--resume') as string });
    expect(await other('--resume', '--model', 'another')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('was started with --model test-model') as string,
    });
    await writePrompts(fixture.home, [...manyPrompts(2), { prompt: 'new', colour: 'red' }]);
    expect(await other('--resume')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('"colour"') as string,
    });
    expect(fixture.server.requests).toHaveLength(seen);
    await writePrompts(fixture.home, ['nothing', '{}']);
    expect(await run('--output', 'third')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('no valid prompt') as string,
    });
  });

  it('recognizes prompts by their content when the input has changed', async () => {
    await fixture.configure();
    fixture.server.setScript(({ lastUserText }) => ({ text: `to ${lastUserText}`, reasoning: 'hm' }));
    await writePrompts(fixture.home, manyPrompts(4));
    await run();
    const [first, , third, fourth] = manyPrompts(4);
    await writePrompts(fixture.home, [
      { prompt: 'print number 9' },
      fourth as object,
      third as object,
      first as object,
    ]);
    const { stderr } = await run('--resume');
    expect(stderr).toContain('1 prompt added, 1 removed');
    expect(fixture.server.requests.map((request) => request.lastUserText).slice(4)).toEqual(['print number 9']);
    const { trajectories } = await readRun(out());
    expect(trajectories.map((line) => line['prompt_index'])).toEqual([0, 1, 2, 3, 4]);
  });

  it('locks its folder, finishes running prompts after Ctrl-C, and resumes from there', async () => {
    await fixture.configure();
    const gate = Promise.withResolvers<void>();
    fixture.server.setScript(async () => {
      await gate.promise;
      return { text: 'ok', reasoning: 'hm' };
    });
    await writePrompts(fixture.home, manyPrompts(20));
    const started = startHermes(['batch', 'run', '--input', 'prompts.jsonl', '--output', 'out', '--workers', '3'], {
      home: fixture.home,
      input: '',
    });
    await fixture.server.waitForRequests(3);
    expect(await run('--resume')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Another process is using the run') as string,
    });
    started.kill('SIGINT');
    await started.waitForOutput('Finishing the prompts in progress');
    gate.resolve();
    expect(await started.exited).toMatchObject({ exitCode: 130 });
    expect((await readRun(out())).statistics).toMatchObject({ kept: 3, left: 17 });
    expect((await run('--resume')).exitCode).toBe(0);
    expect((await readRun(out())).trajectories).toHaveLength(20);
  });

  it('denies what needs approval, unless the batch configuration says otherwise', async () => {
    const call = { id: 'call_1', name: 'terminal', arguments: { command: 'rm -rf ./build' } };
    const script = () =>
      fixture.server.setScript(({ toolResults }) =>
        toolResults.length > 0 ? { text: 'done', reasoning: 'hm' } : { reasoning: 'hm', toolCalls: [call] },
      );
    await writePrompts(fixture.home, [{ prompt: 'clean up' }]);
    const outcome = async (folder: string) => {
      script();
      await run('--output', folder);
      const { trajectories } = await readRun(join(fixture.home.workspace, folder));
      return trajectories[0]?.['tool_error_counts'];
    };
    // `single_query_mode` does not apply to batches.
    await fixture.configure('approvals:\n  single_query_mode: approve\n');
    expect(await outcome('denied')).toMatchObject({ terminal: 1 });
    await fixture.configure('approvals:\n  batch_mode: approve\n');
    expect(await outcome('approved')).toMatchObject({ terminal: 0 });
  });

  it('ends before it exceeds its spending limit, and says so if prices are unknown', async () => {
    const prices = 'model_overrides:\n  test-model:\n    price: { input: 10, output: 10 }\n';
    await fixture.configure(prices);
    fixture.server.setScript(() => ({ text: 'ok', reasoning: 'hm', usage: { input: 50_000, output: 50_000 } }));
    await writePrompts(fixture.home, manyPrompts(20));
    const limited = await run('--max-spend', '5', '--workers', '2');
    expect([limited.exitCode, limited.stderr]).toEqual([4, expect.stringContaining('reached its spending limit')]);
    expect((await readRun(out())).statistics).toMatchObject({ kept: 5, left: 15, cost_usd: 5 });
    await fixture.configure();
    const unknown = await run('--output', 'unpriced', '--max-spend', '5');
    expect([unknown.exitCode, unknown.stderr]).toEqual([
      4,
      expect.stringContaining('is unknown, so the spending limit cannot be enforced'),
    ]);
  });

  it('stores the answer that exceeded the limit, so that the limit holds after a resume', async () => {
    await fixture.configure('model_overrides:\n  test-model:\n    price: { input: 10, output: 10 }\n');
    fixture.server.setScript(() => ({ text: 'ok', reasoning: 'hm', usage: { input: 300_000, output: 300_000 } }));
    await writePrompts(fixture.home, manyPrompts(3));
    expect((await run('--max-spend', '5', '--workers', '1')).exitCode).toBe(4);
    expect((await readRun(out())).statistics).toMatchObject({ kept: 1, left: 2, cost_usd: 6 });
    expect((await run('--max-spend', '5', '--workers', '1', '--resume')).exitCode).toBe(4);
    expect(fixture.server.requests).toHaveLength(1);
  });

  it('remembers after a resume that the cost of an earlier start is unknown', async () => {
    await fixture.configure();
    fixture.server.setScript(() => ({ text: 'ok', reasoning: 'hm', usage: { input: 50_000, output: 50_000 } }));
    await writePrompts(fixture.home, manyPrompts(4));
    await run('--limit', '2');
    await fixture.configure('model_overrides:\n  test-model:\n    price: { input: 10, output: 10 }\n');
    const priced = await run('--resume', '--max-spend', '5');
    expect([priced.exitCode, priced.stdout]).toEqual([0, expect.stringContaining('≥ $2.00 in total')]);
    expect(priced.stderr).toContain('The cost of 2 earlier calls is unknown');
  });

  it('pauses all workers once for a rate limit, and loses nothing', async () => {
    await fixture.configure();
    let [asked, refusedAt, backAt] = [0, 0, 0];
    fixture.server.setScript(async () => {
      asked += 1;
      if (asked > 28) backAt ||= Date.now();
      if (asked <= 20 || asked > 28) return { text: 'ok', reasoning: 'hm' };
      // All eight are running and are rejected together.
      await fixture.server.waitForRequests(28);
      refusedAt = Date.now();
      return { fault: { type: 'status', status: 429, message: 'slow down', retryAfter: 1 } };
    });
    await writePrompts(fixture.home, manyPrompts(40));
    const { exitCode } = await run('--workers', '8');
    expect(exitCode).toBe(0);
    expect(fixture.server.requests).toHaveLength(48);
    // The wait starts with the first rejection that arrives, which may be slightly before the last one is sent.
    expect(backAt - refusedAt).toBeGreaterThan(500);
    expect((await readRun(out())).trajectories).toHaveLength(40);
  });

  it('gives up on a provider that is unavailable for too long, and resumes everything later', async () => {
    await fixture.configure();
    let away = true;
    fixture.server.setScript(() =>
      away
        ? { fault: { type: 'status', status: 503, message: 'closed for today', retryAfter: 3600 } }
        : { text: 'ok', reasoning: 'hm' },
    );
    await writePrompts(fixture.home, manyPrompts(30));
    const { exitCode, stderr } = await run('--workers', '2', '--patience', '30');
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('The provider was unavailable for too long.')]);
    const { statistics, failed } = await readRun(out());
    expect(statistics).toMatchObject({ kept: 0, failed: 2, left: 28 });
    expect(failed[0]?.['reason']).toContain('closed for today');
    away = false;
    expect((await run('--resume')).exitCode).toBe(0);
    expect((await readRun(out())).statistics).toMatchObject({ kept: 30, failed: 0, left: 0 });
  });

  it('stops early if every prompt fails for the same reason', async () => {
    await fixture.configure();
    fixture.server.setScript(() => ({ fault: { type: 'status', status: 401, message: 'no such key' } }));
    await writePrompts(fixture.home, manyPrompts(200));
    const { exitCode, stderr } = await run();
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('no such key')]);
    expect((await readRun(out())).failed.length).toBeLessThan(10);
  });

  it('sends the prefill with each prompt, and saves none of it', async () => {
    await fixture.configure();
    fixture.server.setScript(() => ({ text: 'ok', reasoning: 'hm' }));
    await writePrompts(fixture.home, manyPrompts(1));
    const prefill = [
      { role: 'user', content: 'an example' },
      { role: 'assistant', content: 'its answer' },
    ];
    await writeFile(join(fixture.home.workspace, 'prefill.json'), JSON.stringify(prefill));
    await run('--prefill', 'prefill.json', '--ephemeral-system-prompt', 'Be terse as a telegram.');
    const [request] = fixture.server.requests;
    expect(request?.system).toContain('Be terse as a telegram.');
    expect(request?.messages.map(({ text }) => text)).toEqual(['an example', 'its answer', 'print number 0']);
    const text = await readFile(join(out(), 'trajectories.jsonl'), 'utf8');
    expect(text).not.toMatch(/telegram|an example/);
  });
});
