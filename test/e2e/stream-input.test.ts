import { createInterface } from 'node:readline';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { verifies } from '../spec/verifies.ts';
import {
  createProviderServer,
  createTemporaryHome,
  type ProviderServer,
  startHermes,
  type TemporaryHome,
} from '../../src/testing/index.ts';
import { readRecord } from '../../src/surfaces/cli/stream/input-record.ts';
import { readLineSchema } from '../support/line-schema.ts';
import { testServer } from '../support/mcp-servers.ts';
import { fullDoseOnly } from '../support/dose.ts';

type Line = Record<string, unknown> & { type: string };

let home: TemporaryHome;
let server: ProviderServer;
beforeEach(async () => {
  server = await createProviderServer({ script: ({ messages }) => ({ text: `${messages.length} messages` }) });
  home = await createTemporaryHome({
    'config.yaml': `model: { provider: custom, default: test-model, base_url: ${server.url}/v1, api_key: k }\n`,
  });
});
afterEach(async () => {
  await server.close();
  await home.remove();
});

const { faultsOf } = readLineSchema();

/** Starts the program with pipes. Every line that it prints is validated. */
function open(args: readonly string[] = []) {
  const hermes = startHermes(['--json', '--input-format', 'stream-json', ...args], { home });
  const lines: Line[] = [];
  let notify = Promise.withResolvers<void>();
  createInterface({ input: hermes.child.stdout }).on('line', (text) => {
    lines.push(JSON.parse(text) as Line);
    notify.resolve();
    notify = Promise.withResolvers();
  });
  let seen = 0;
  return {
    lines,
    say: (record: object | string) => hermes.write(`${typeof record === 'string' ? record : JSON.stringify(record)}\n`),
    /** The next line of this type after the last one that was waited for. */
    async see(type: string): Promise<Line> {
      for (;;) {
        for (; seen < lines.length; ) {
          const line = lines[seen] as Line;
          seen += 1;
          if (line.type === type) return line;
        }
        await notify.promise;
      }
    },
    async end() {
      hermes.closeInput();
      const { exitCode } = await hermes.exited;
      expect(lines.flatMap(faultsOf)).toEqual([]);
      return exitCode;
    },
    kill: (signal: NodeJS.Signals) => hermes.kill(signal),
  };
}

/** Waits for the request of a turn; there may also be one for a title. */
async function requestWith(text: string): Promise<void> {
  await expect.poll(() => server.requests.some(({ messages }) => messages.at(-1)?.text.includes(text))).toBe(true);
}

verifies('SURF-15', 'holds a conversation with another program over standard input and output', async () => {
  const stream = open();
  stream.say({ type: 'prompt', text: 'one' });
  stream.say({ type: 'user', message: { role: 'user', content: [{ type: 'text', text: 'two' }] } });
  expect(await stream.see('result')).toMatchObject({ final_response: '1 messages', exit_code: 0 });
  expect(await stream.see('result')).toMatchObject({ final_response: '3 messages' });
  stream.say('nonsense');
  stream.say({ type: 'prompt', text: ' ' });
  stream.say({ type: 'dance' });
  stream.say({ type: 'interrupt' });
  expect(await stream.see('input-rejected')).toMatchObject({ line: 3, problem: 'the line is not JSON' });
  expect(await stream.see('input-rejected')).toMatchObject({
    line: 4,
    problem: '`text` must be a string that is not blank',
  });
  expect(await stream.see('input-rejected')).toMatchObject({
    line: 5,
    problem: expect.stringContaining('prompt') as string,
  });
  expect(await stream.see('input-rejected')).toMatchObject({ line: 6, problem: 'no turn is running' });
  stream.say({ type: 'prompt', text: 'three' });
  expect(await stream.see('result')).toMatchObject({ final_response: '5 messages' });
  expect(await stream.end()).toBe(0);
  expect(stream.lines.at(-1)?.type).toBe('result');
});

verifies('APPR-3', 'asks the program for approval, and steers and interrupts turns', async () => {
  const call = { name: 'terminal', arguments: { command: 'rm -rf some-folder' } };
  server.setScript(({ messages }) => {
    const last = messages.at(-1);
    return last?.role === 'user' ? { toolCalls: [call] } : { text: `Result: ${last?.text}` };
  });
  const stream = open();
  stream.say({ type: 'prompt', text: 'clean up' });
  const { request_id: id, request } = await stream.see('request');
  expect(request).toMatchObject({ kind: 'approval', tool_name: 'terminal', subject: 'rm -rf some-folder' });
  stream.say({ type: 'answer', request_id: id, text: 'blue' });
  expect(await stream.see('input-rejected')).toMatchObject({ problem: expect.stringContaining('approval') as string });
  stream.say({ type: 'answer', request_id: id, answer: 'deny', reason: 'keep it' });
  expect((await stream.see('result'))['final_response']).toContain('keep it');
  stream.say({ type: 'mode', mode: 'plan' });
  stream.say({ type: 'prompt', text: 'again' });
  expect((await stream.see('result'))['final_response']).toMatch(/plan/i);
  stream.say({ type: 'mode', mode: 'yolo' });
  stream.say({ type: 'prompt', text: 'again' });
  expect((await stream.see('result'))['final_response']).not.toMatch(/plan|denied/i);
  const gate = Promise.withResolvers<void>();
  server.setScript(async ({ messages }) => {
    const text = messages.at(-1)?.text ?? '';
    if (text.includes('in blue')) return { text: 'Blue it is.' };
    await gate.promise;
    return { text: 'Which colour?' };
  });
  stream.say({ type: 'prompt', text: 'paint it' });
  await requestWith('paint it');
  stream.say({ type: 'steer', text: 'in blue' });
  stream.say({ type: 'dance' });
  await stream.see('input-rejected');
  gate.resolve();
  expect((await stream.see('result'))['final_response']).toContain('Blue it is.');
  server.setScript(() => ({ fault: { type: 'stall' } }));
  stream.say({ type: 'prompt', text: 'never start' });
  stream.say({ type: 'interrupt' });
  expect(await stream.see('result')).toMatchObject({ exit_reason: 'interrupted', exit_code: 130 });
  stream.say({ type: 'prompt', text: 'never end' });
  await requestWith('never end');
  stream.say({ type: 'interrupt' });
  expect(await stream.see('result')).toMatchObject({ exit_reason: 'interrupted', exit_code: 130 });
  expect(await stream.end()).toBe(130);
});

verifies(['APPR-3', 'SURF-15'], 'denies what needs approval after the end of the input', async () => {
  const call = { name: 'terminal', arguments: { command: 'rm -rf some-folder' } };
  server.setScript(({ messages }) => {
    const results = messages.filter(({ role }) => role === 'tool');
    return results.length < 2 ? { toolCalls: [call] } : { text: `Result: ${results.map(({ text }) => text).join()}` };
  });
  const stream = open();
  stream.say({ type: 'prompt', text: 'clean up' });
  await stream.see('request');
  expect(await stream.end()).toBe(0);
  // The second question follows the end of the input.
  expect(stream.lines.filter(({ type }) => type === 'request')).toHaveLength(2);
  const last = stream.lines.findLast(({ type }) => type === 'result');
  expect(String(last?.['final_response']).match(/The input has ended/g)).toHaveLength(2);
});

verifies('SURF-15', 'reports MCP servers, and sends skills with the first message only', fullDoseOnly, async () => {
  const model = `model: { provider: custom, default: test-model, base_url: ${server.url}/v1, api_key: k }`;
  const broken = { command: '/nowhere/at-all' };
  await home.write('config.yaml', `${model}\nmcp_servers: ${JSON.stringify({ it: testServer(), broken })}\n`);
  const stream = open(['--skills', 'code-review']);
  stream.say({ type: 'prompt', text: 'one' });
  expect((await stream.see('started'))['mcp_servers']).toMatchObject([
    { name: 'it', state: 'ready' },
    { name: 'broken', state: 'failed', error: { message: expect.any(String) as string } },
  ]);
  await stream.see('result');
  stream.say({ type: 'prompt', text: 'two' });
  await stream.see('result');
  expect(await stream.end()).toBe(0);
  const sent = server.requests.map(({ messages }) => messages.at(-1)?.text ?? '');
  const ofTurns = ['one', 'two'].map((text) => sent.find((each) => each.includes(text)));
  expect(ofTurns).toEqual([expect.stringContaining('code-review'), 'two']);
  expect(stream.lines.filter(({ type }) => type === 'warning').map(({ message }) => message)).toEqual([
    expect.stringContaining('broken'),
  ]);
  const unknown = open(['--skills', 'nothing-of-the-kind']);
  expect(await unknown.see('result')).toMatchObject({ exit_code: 2 });
});

verifies(
  ['SURF-15', 'STORE-7'],
  'waits for a session that another process holds, or continues in a branch',
  fullDoseOnly,
  async () => {
    const first = open();
    first.say({ type: 'prompt', text: 'begin' });
    const { session_id: id } = await first.see('result');
    const gate = Promise.withResolvers<void>();
    server.setScript(async ({ lastUserText }) => {
      if (lastUserText === 'hold') await gate.promise;
      return { text: `answer to ${lastUserText}` };
    });
    first.say({ type: 'prompt', text: 'hold' });
    await requestWith('hold');
    const resume = ['--resume', String(id), '-q', 'me too'];
    const failing = open(resume);
    expect(await failing.see('result')).toMatchObject({ exit_reason: 'failed', exit_code: 1 });
    const branching = open([...resume, '--if-busy', 'branch']);
    expect(await branching.see('warning')).toMatchObject({ message: expect.stringContaining('branch') as string });
    expect(await branching.see('result')).toMatchObject({ final_response: 'answer to me too' });
    const waiting = open([...resume, '--if-busy', 'wait']);
    expect(await waiting.see('warning')).toMatchObject({ message: expect.stringContaining('Waiting') as string });
    gate.resolve();
    expect(await waiting.see('result')).toMatchObject({ final_response: 'answer to me too', session_id: id });
    expect(await Promise.all([first, failing, branching, waiting].map((each) => each.end()))).toEqual([0, 1, 0, 0]);
  },
);

it('ends with a result line after SIGTERM, and reports wrong options', async () => {
  server.setScript([{ fault: { type: 'stall' } }]);
  const stream = open(['--source', 'robot', '-q', 'first']);
  await server.nextRequest();
  stream.say({ type: 'prompt', text: 'never sent' });
  stream.kill('SIGTERM');
  expect(await stream.end()).toBe(130);
  expect(stream.lines.at(-1)).toMatchObject({ type: 'result', exit_reason: 'interrupted' });
  const wrong = startHermes(['--input-format', 'stream-json'], { home });
  const { exitCode, stderr } = await wrong.exited;
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('requires --json')]);
});

it('never fails because of a line', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json(),
        fc.jsonValue().map((type) => JSON.stringify({ type })),
      ),
      (line) => {
        const record = readRecord(line);
        expect('problem' in record || 'type' in record).toBe(true);
      },
    ),
  );
});
