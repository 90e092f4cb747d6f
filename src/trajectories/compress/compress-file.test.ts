import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import type { Message } from '../../base/index.ts';
import {
  checkLines,
  compressFile,
  openTokenizer,
  type SummaryQuestion,
  toConversations,
  toJsonLine,
} from '../index.ts';
import type { FileCompression } from './compress-file.ts';
import type { Tokenizer } from './tokenizer.ts';

let tokenizer: Tokenizer;
beforeAll(async () => {
  tokenizer = await openTokenizer();
});

const TERMINAL = { name: 'terminal', description: 'Runs', parameters: { type: 'object' } };

function conversation(steps: number): object {
  const messages: Message[] = [{ role: 'user', content: 'Do it' }];
  for (let step = 0; step < steps; step += 1) {
    const call = { id: `c${step}`, name: 'terminal', arguments: `{"command":"step ${step}"}` };
    messages.push({ role: 'assistant', content: '', reasoning: 'On.', toolCalls: [call] });
    messages.push({ role: 'tool', toolCallId: `c${step}`, toolName: 'terminal', content: 'some words '.repeat(40) });
  }
  messages.push({ role: 'assistant', content: 'Done.' });
  const { conversations } = toConversations({ messages: messages.map((message) => ({ message })), tools: [TERMINAL] });
  return { conversations, timestamp: '2026-03-30T14:22:31.456789', model: 'a/model', completed: true };
}

function prepare(lines: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-compress-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [input, output] = [join(folder, 'in.jsonl'), join(folder, 'out.jsonl')];
  writeFileSync(input, lines.map((line) => `${line}\n`).join(''));
  const asked: SummaryQuestion[] = [];
  const work: FileCompression = {
    input,
    output,
    tokenizer,
    concurrency: 3,
    signal: new AbortController().signal,
    goal: { targetTokens: 1500, summaryTokens: 100, keepLast: 4 },
    async summarise(question) {
      asked.push(question);
      return `It ran steps. </tool_call> ${'word '.repeat(500)}`;
    },
  };
  return { folder, input, output, work, asked, written: () => readFileSync(output, 'utf8').split('\n').slice(0, -1) };
}

async function faultsOf(file: string): Promise<object[]> {
  const found: object[] = [];
  async function* bytes() {
    yield readFileSync(file);
  }
  for await (const deviation of checkLines(bytes())) found.push(deviation);
  return found;
}

verifies(
  'TRAJ-6',
  'brings long conversations below the limit and keeps them valid; others stay byte for byte',
  async () => {
    const short = JSON.stringify({ ...conversation(1), note: 0.5 });
    const long = toJsonLine(conversation(60)).replace('"completed": true', '"completed": true, "score": 1.0');
    const { work, asked, output, folder, written } = prepare([short, long, short, 'no JSON', long]);
    const left: number[] = [];
    const totals = await compressFile({ ...work, onUnreadable: (line) => left.push(line) });
    expect(totals).toMatchObject({ read: 5, kept: 2, summarised: 2, extracted: 0, unreadable: 1, stillOver: 0 });
    expect(left).toEqual([4]);
    const [first, second, third] = written();
    expect([first, third]).toEqual([short, short]);
    expect(second).toContain('"score": 1.0}');
    const { conversations } = JSON.parse(second ?? '') as { conversations: { from: string; value: string }[] };
    const before = (JSON.parse(long) as { conversations: typeof conversations }).conversations;
    expect(conversations.slice(0, 4)).toEqual(before.slice(0, 4));
    expect(conversations.slice(-4)).toEqual(before.slice(-4));
    expect(conversations[4]?.from).toBe('human');
    expect(conversations[4]?.value).toMatch(
      /^\[Summary of \d+ turns that were removed here\]\nIt ran steps\. &lt;\/tool_call>/,
    );
    expect(tokenizer.count(conversations[4]?.value ?? '')).toBeLessThanOrEqual(100);
    const tokens = conversations.reduce((sum, { value }) => sum + tokenizer.count(value), 0);
    expect(tokens).toBeLessThanOrEqual(1500);
    expect(tokens).toBeGreaterThan(1000);
    expect(asked[0]?.text).toContain('step 10');
    // The only faults are the unknown fields that the test added.
    const strange = expect.stringContaining('is not a field of the format');
    expect(await faultsOf(output)).toEqual([1, 2, 3, 4].map((line) => ({ line, message: strange })));
    expect(readdirSync(folder).toSorted()).toEqual(['in.jsonl', 'out.jsonl']);
  },
);

describe('without a model', () => {
  it('writes an extract that says so', async () => {
    const { work, output, written } = prepare([toJsonLine(conversation(60))]);
    const totals = await compressFile({ ...work, summarise: undefined });
    expect(totals).toMatchObject({ extracted: 1, stillOver: 0 });
    expect(written()[0]).toMatch(/turns were removed here; no model summarised them\]\\nCalled terminal with \{/);
    expect(await faultsOf(output)).toEqual([]);
  });

  it('uses extracts after a few failures, then stops and can be resumed', async () => {
    const line = toJsonLine(conversation(60));
    const { work, written, output } = prepare(Array.from({ length: 12 }, () => line));
    const failing = compressFile({ ...work, summarise: () => Promise.reject(new Error('no credit')) });
    await expect(failing).rejects.toThrow('5 summaries in a row failed; the last error: no credit');
    expect(existsSync(`${output}.state`)).toBe(true);
    const totals = await compressFile(work);
    expect(totals).toMatchObject({ read: 12, extracted: 4, summarised: 8 });
    expect(written()).toHaveLength(12);
  });
});

verifies('BOUND-4', 'is refused while another run writes the same output', async () => {
  const { work, output, written } = prepare([toJsonLine(conversation(60))]);
  const { promise: summary, resolve } = Promise.withResolvers<string>();
  const running = compressFile({ ...work, summarise: () => summary });
  await expect.poll(() => existsSync(`${output}.state`)).toBe(true);
  await expect(compressFile(work)).rejects.toThrow(`${output} has been in use by process ${process.pid} for`);
  resolve('It ran steps.');
  expect(await running).toMatchObject({ read: 1, summarised: 1 });
  expect(written()).toHaveLength(1);
});

describe('an interrupted run', () => {
  const lines = Array.from({ length: 30 }, (_, index) =>
    toJsonLine({ ...conversation(index % 3 === 0 ? 60 : 1), model: `m${index}` }),
  );

  it('is resumed and gives the same output as a single run', async () => {
    const whole = prepare(lines);
    await compressFile(whole.work);
    const { work, written } = prepare(lines);
    const stop = new AbortController();
    const onProgress = ({ read }: { read: number }) => (read === 11 ? stop.abort(new Error('stopped')) : undefined);
    await expect(compressFile({ ...work, signal: stop.signal, onProgress })).rejects.toThrow('stopped');
    // A kill may leave more in the file than the state says.
    writeFileSync(work.output, 'half a line\n'.repeat(200_000), { flag: 'a' });
    expect(await compressFile(work)).toMatchObject({ read: 30 });
    expect(written()).toEqual(whole.written());
  });

  it('can be resumed even if it was interrupted while resuming or before its first line', async () => {
    const { work, output, written } = prepare(lines);
    const stop = new AbortController();
    const onProgress = ({ read }: { read: number }) => (read === 7 ? stop.abort(new Error('stopped')) : undefined);
    await expect(compressFile({ ...work, signal: stop.signal, onProgress })).rejects.toThrow('stopped');
    await expect(compressFile({ ...work, signal: AbortSignal.abort(new Error('aborted early')) })).rejects.toThrow(
      'aborted early',
    );
    expect(await compressFile(work)).toMatchObject({ read: 30 });
    expect(written()).toHaveLength(30);
    rmSync(output);
    await expect(compressFile({ ...work, signal: AbortSignal.abort(new Error('aborted early')) })).rejects.toThrow(
      'aborted early',
    );
    rmSync(output);
    expect(await compressFile(work)).toMatchObject({ read: 30 });
  });

  it('is rejected if the input or the goal changed, or the output belongs to somebody else', async () => {
    const { work, input, output } = prepare(lines);
    const stop = new AbortController();
    const onProgress = ({ read }: { read: number }) => (read === 5 ? stop.abort(new Error('stopped')) : undefined);
    await expect(compressFile({ ...work, signal: stop.signal, onProgress })).rejects.toThrow('stopped');
    await expect(compressFile({ ...work, goal: { ...work.goal, keepLast: 2 } })).rejects.toThrow('other settings');
    writeFileSync(input, `${[...lines.slice(1)].join('\n')}\n`);
    for (const _ of [1, 2]) await expect(compressFile(work)).rejects.toThrow('has changed since the last run');
    writeFileSync(input, lines.slice(0, 3).join('\n'));
    await expect(compressFile(work)).rejects.toThrow('has changed since the last run');
    writeFileSync(output, 'short');
    await expect(compressFile(work)).rejects.toThrow('is shorter than');
    rmSync(`${output}.state`);
    await expect(compressFile(work)).rejects.toThrow('already exists');
  });
});

it('the tokenizer handles any text in reasonable time', () => {
  expect(tokenizer.count('<|endoftext|> hello')).toBeGreaterThan(2);
  expect(tokenizer.count('x'.repeat(200_000))).toBeGreaterThan(20_000);
  expect(tokenizer.count('漢字'.repeat(20_000))).toBeGreaterThan(10_000);
  expect(tokenizer.count(' '.repeat(200_000))).toBeGreaterThan(100);
  const cut = tokenizer.cut('one two three '.repeat(1000), 100);
  expect(tokenizer.count(cut)).toBeLessThanOrEqual(100);
  expect(cut.length).toBeGreaterThan(300);
});
