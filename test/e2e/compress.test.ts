import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Usage } from '../../src/base/index.ts';
import { createRuntime, loadModels, openStore } from '../../src/runtime/index.ts';
import { type ReceivedRequest, type Reply, startHermes } from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { fullDoseOnly } from '../support/dose.ts';
import { jsonLines, lastLine, useCliFixture } from '../support/cli-fixture.ts';
import { runHermes } from '../support/run-hermes.ts';
import { startTerminal } from '../support/terminal.ts';

const cli = useCliFixture();
const FILLER = 'and so on, as was said before; '.repeat(60);
const BY_HAND = 'compression: { enabled: false }\n';
/** One dollar per thousand tokens. */
const PRICED = 'model_overrides:\n  test-model:\n    price: { input: 1000, output: 1000 }\n';
const SUMMARY =
  '## Active task\nTalk.\n\n## Goal\nHear of all topics.\n\n## Done\nMuch was said.\n\n## Next steps\nMore talk.';

const isSummary = ({ toolNames }: ReceivedRequest) => toolNames.length === 0;
const talk = (request: ReceivedRequest): Reply =>
  isSummary(request) ? { text: SUMMARY } : { text: `About ${request.lastUserText.slice(0, 40)}: ${FILLER}` };

const stalling = (request: ReceivedRequest): Reply =>
  isSummary(request) ? { fault: { type: 'stall' } } : talk(request);

/** Creates a session with this many exchanges of about 250 tokens each. */
async function converse(exchanges: number): Promise<string> {
  const { settings, models } = await loadModels({ home: cli.home.path, env: {} });
  const runtime = await createRuntime({
    settings,
    routes: models?.routes ?? [],
    workingDirectory: cli.home.workspace,
    source: 'cli',
    attended: false,
  });
  const { agent } = await runtime.openAgent();
  for (let index = 1; index <= exchanges; index += 1) await agent.chat(`topic ${index}`);
  await runtime.close();
  return agent.sessionId;
}

const hermes = (...args: string[]) => runHermes(args, { home: cli.home });

async function configure(window: number, more = ''): Promise<void> {
  await cli.configure(`  context_length: ${window}\n${more}`);
  cli.server.setScript(talk);
}

describe('/compress', () => {
  verifies('CTX-3', 'shows what it saves, compresses, and continues the chat in the child session', async () => {
    await configure(8_000, BY_HAND);
    const before = await converse(8);
    const chat = startTerminal(cli.home, ['--continue']);
    await chat.see('❯ ');
    chat.type('/compress --preview\r');
    await chat.see('Preview: 16 → ');
    await chat.see('Use /compress to apply it.');
    const asked = cli.server.requests.length;
    chat.type('/compress the weather\r');
    await chat.see('Compressed: 16 → ');
    await chat.see('summary by custom/test-model.');
    await chat.see('continues as session ');
    expect(cli.server.requests.slice(asked).every(isSummary)).toBe(true);
    expect(JSON.stringify(cli.server.requests.at(-1)?.messages)).toContain('the weather');
    chat.type('topic 9\r');
    await chat.see('About topic 9');
    await chat.see('❯ ');
    chat.type('/compress now\r');
    await chat.see('❯ ');
    chat.type('\u0004');
    await chat.see('hermes --resume ');
    expect(await chat.exited).toBe(0);
    expect(chat.output()).not.toContain(`hermes --resume ${before}`);
    const store = await openStore({ home: cli.home.path });
    const newest = await store.newestInLineage(before);
    expect(chat.output()).toContain(`hermes --resume ${newest?.id}`);
    await store.close();
  });

  verifies('CTX-3', 'queues a line that is typed meanwhile, and Ctrl-C changes nothing', fullDoseOnly, async () => {
    await configure(16_000, BY_HAND);
    const before = await converse(8);
    cli.server.setScript(stalling);
    const chat = startTerminal(cli.home, ['--continue']);
    await chat.see('❯ ');
    const seen = cli.server.requests.length;
    chat.type('/compress\r');
    await cli.server.waitForRequests(seen + 1);
    chat.type('topic 9\r');
    chat.type('\u0003');
    await chat.see('Compression was interrupted. The conversation is unchanged.');
    await chat.see('About topic 9');
    chat.type('\u0004');
    await chat.see(`hermes --resume ${before}`);
    expect(await chat.exited).toBe(0);
    const store = await openStore({ home: cli.home.path });
    expect(await store.getDescendants(before)).toEqual([]);
    await store.close();
  });

  it('reports that there is nothing to compress, and that a preview needs a session', async () => {
    await configure(30_000);
    const chat = startTerminal(cli.home, []);
    await chat.see('❯ ');
    chat.type('/compact\r');
    await chat.see('There is nothing to compress');
    chat.type('\u0004');
    expect(await chat.exited).toBe(0);
  });
});

verifies('CTX-11', 'saves lasting facts to memory first, and the prompt keeps its bytes', fullDoseOnly, async () => {
  await configure(8_000, BY_HAND);
  await converse(8);
  const fact = { target: 'memory', action: 'add', content: 'The walrus is called Otto.' };
  const isFlush = ({ system }: ReceivedRequest) => system.includes('long-term notes');
  cli.server.setScript((request) =>
    isFlush(request) ? { text: JSON.stringify({ operations: [fact] }) } : talk(request),
  );
  const seen = cli.server.requests.length;
  const chat = startTerminal(cli.home, ['--continue']);
  await chat.see('❯ ');
  chat.type('/compress\r');
  await chat.see('Compressed: 16 → ');
  chat.type('topic 9\r');
  await chat.see('About topic 9');
  chat.type('\u0004');
  expect(await chat.exited).toBe(0);
  expect(await cli.home.read('memories/MEMORY.md')).toContain('The walrus is called Otto.');
  const requests = cli.server.requests.slice(seen);
  expect(requests.map(isFlush)).toEqual([true, false, false]);
  expect(requests.at(-1)?.system).toBe(cli.server.requests[0]?.system);
});

describe('automatic compression', () => {
  verifies(
    ['CTX-3', 'CTX-12'],
    'is in the JSON lines and once in the log, and the result has the id of the child',
    async () => {
      await configure(30_000);
      const before = await converse(8);
      await configure(8_000);
      const run = await hermes('--continue', '-q', 'topic 9', '--json');
      const records = jsonLines(run.stdout);
      const started = records.find(({ type }) => type === 'compression-started');
      const compressed = records.find(({ type }) => type === 'compressed');
      expect(started).toMatchObject({ reason: 'preflight', messages: 17 });
      expect(compressed).toMatchObject({
        reason: 'preflight',
        messages_before: 17,
        by: 'model',
        model: 'custom/test-model',
      });
      expect(lastLine(run.stdout)).toMatchObject({
        type: 'result',
        exit_code: 0,
        session_id: compressed?.['session_id'],
      });
      expect(compressed?.['session_id']).not.toBe(before);
      const log = await cli.home.read('logs/agent.log');
      const logged = jsonLines(log).filter(({ message }) => message === 'compression');
      expect(logged).toHaveLength(1);
      expect(logged[0]).toMatchObject({
        reason: 'preflight',
        engine: 'compressor',
        messagesBefore: 17,
        lineageId: before,
      });
    },
  );

  verifies('CTX-3', 'prints one line and the id to resume', async () => {
    await configure(30_000);
    const before = await converse(8);
    await configure(8_000);
    const run = await hermes('--continue', '-q', 'topic 9');
    expect(run.stderr).toMatch(
      /^\(compressed: 17 → \d+ messages, about [\d,]+ → [\d,]+ tokens; summary by custom\/test-model\)$/m,
    );
    const id = /hermes --resume (\S+)\)/.exec(run.stderr)?.[1];
    expect(id).not.toBe(before);
    // Resuming an earlier session of a lineage continues the newest one.
    await hermes('--resume', before, '-z', 'topic 10');
    const store = await openStore({ home: cli.home.path });
    const texts = (await store.getConversation(id ?? '')).map(({ content }) => content);
    expect(texts).toContain('topic 10');
    await store.close();
  });

  verifies('STORE-5', 'exports and shows each message of the lineage once', async () => {
    await configure(30_000);
    const before = await converse(8);
    await configure(8_000);
    await hermes('--continue', '-z', 'topic 9');
    const file = join(cli.home.workspace, 'lineage.md');
    await hermes('sessions', 'export', file, '--session', before, '--lineage');
    const page = await readFile(file, 'utf8');
    for (let index = 1; index <= 9; index += 1) {
      expect(page.split(`> topic ${index}\n`), `topic ${index}`).toHaveLength(2);
    }
    const json = await hermes('sessions', 'export', '-', '--session', before, '--lineage');
    const records = jsonLines(json.stdout) as { messages: { message?: { content: string } }[] }[];
    const contents = records.flatMap(({ messages }) => messages.flatMap(({ message }) => message?.content ?? []));
    expect(contents.filter((content) => content === 'topic 1')).toHaveLength(1);
    const ids = async (...more: string[]) =>
      (JSON.parse((await hermes('sessions', 'list', '--json', ...more)).stdout) as { id: string }[]).map(
        ({ id }) => id,
      );
    const [newest = '', ...others] = await ids();
    expect(others).toEqual([]);
    expect(await ids('--all')).toEqual([newest, before]);
    const shown = await hermes('sessions', 'show', newest, '--lineage');
    for (let index = 1; index <= 9; index += 1) expect(shown.stdout.split(`\ntopic ${index}\n`)).toHaveLength(2);
    const turnsOf = async (...more: string[]) =>
      (
        JSON.parse((await hermes('sessions', 'show', newest, '--json', ...more)).stdout) as {
          turn_usage: { cache_misses: object[] }[];
        }
      ).turn_usage;
    expect((await turnsOf()).map(({ cache_misses }) => cache_misses)).toEqual([[expect.anything()]]);
    expect(await turnsOf('--lineage')).toHaveLength(9);
  });

  verifies('CALL-5', 'remembers a limit that a provider reported, also in the next process', async () => {
    await configure(100_000);
    await converse(8);
    const message =
      "This model's maximum context length is 10000 tokens. However, your messages resulted in 11000 tokens.";
    let refused = 0;
    cli.server.setScript((request) => {
      if (isSummary(request)) return { text: SUMMARY };
      if (request.rawBody.length <= 32_000) return { text: 'fits' };
      refused += 1;
      return { fault: { type: 'status', status: 400, message, code: 'context_length_exceeded' } };
    });
    const first = await hermes('--continue', '-z', 'topic 9', '--json');
    expect(jsonLines(first.stdout).find(({ type }) => type === 'compressed')).toMatchObject({ reason: 'overflow' });
    expect(refused).toBe(1);
    cli.server.setScript(talk);
    const more = [];
    for (let index = 10; index < 20; index += 1) {
      more.push(...jsonLines((await hermes('--continue', '-q', `topic ${index}`, '--json')).stdout));
    }
    // The learned limit applies without another provider error.
    expect(more.filter(({ type }) => type === 'compressed').length).toBeGreaterThan(0);
    expect(more.filter(({ type }) => type === 'retry')).toEqual([]);
  });

  verifies('CTX-3', 'when disabled, an overflow is reported with a hint', async () => {
    await configure(30_000, BY_HAND);
    await converse(8);
    cli.server.setScript(() => ({ fault: { type: 'status', status: 413, message: 'too large' } }));
    const run = await hermes('--continue', '-z', 'topic 9');
    expect(run.exitCode).toBe(1);
    expect(run.stderr).toContain('compression.enabled: false): type /compress');
  });
});

describe('two processes', () => {
  verifies(['CTX-11', 'STORE-7'], 'never compress one session concurrently, and a kill leaves it intact', async () => {
    await configure(30_000);
    const before = await converse(8);
    await configure(8_000);
    cli.server.setScript(stalling);
    const seen = cli.server.requests.length;
    const first = startHermes(['--continue', '-z', 'topic 9'], { home: cli.home, input: '' });
    await cli.server.waitForRequests(seen + 1);
    const second = await hermes('--continue', '-z', 'topic 10');
    expect(second).toMatchObject({ exitCode: 1, stdout: '' });
    expect(second.stderr).toContain('is in use');
    first.kill('SIGKILL');
    await first.exited;
    cli.server.setScript(talk);
    expect((await hermes('--continue', '-z', 'topic 11')).exitCode).toBe(0);
    const store = await openStore({ home: cli.home.path });
    const children = await store.getDescendants(before);
    expect(children).toHaveLength(1);
    const said = (await store.getConversation(before))
      .filter(({ role }) => role === 'user')
      .map(({ content }) => content);
    expect(said.slice(-2)).toEqual(['topic 9', 'topic 11']);
    await store.close();
  });

  verifies('CTX-11', 'continue after another process compressed the session, and both keep their turns', async () => {
    await configure(30_000);
    const before = await converse(8);
    const chat = startTerminal(cli.home, ['--continue']);
    await chat.see('❯ ');
    chat.type('topic 9\r');
    await chat.see('About topic 9');
    // Wait for the prompt, because this process holds the session until the turn has ended.
    await chat.see('❯ ');
    await configure(8_000);
    expect((await hermes('--continue', '-z', 'topic 10')).exitCode).toBe(0);
    chat.type('topic 11\r');
    await chat.see('compressed the session. It continues as');
    await chat.see('About topic 11');
    chat.type('\u0004');
    expect(await chat.exited).toBe(0);
    const store = await openStore({ home: cli.home.path });
    const newest = await store.newestInLineage(before);
    expect(newest?.id).not.toBe(before);
    const texts = (await store.getConversation(newest?.id ?? '')).map(({ content }) => content);
    expect(texts).toContain('topic 11');
    await store.close();
  });
});

verifies('LOOP-13', 'a session limit counts across compressions', async () => {
  await configure(30_000);
  const before = await converse(8);
  await configure(8_000, 'limits: { session_tokens: 60000 }\n');
  const run = await hermes('--continue', '-z', 'topic 9', '--json');
  expect(jsonLines(run.stdout).map(({ type }) => type)).toContain('compressed');
  const child = String(lastLine(run.stdout)['session_id']);
  expect(child).not.toBe(before);
  const store = await openStore({ home: cli.home.path });
  const { tokens } = await store.sessionSpending(child);
  expect(tokens).toBe((await store.sessionSpending(before)).tokens);
  expect(tokens).toBeGreaterThan(20_000);
  await store.close();
  await configure(8_000, `limits: { session_tokens: ${tokens} }\n`);
  expect((await hermes('--continue', '-z', 'topic 10')).stderr).toContain(`limits.session_tokens of ${tokens}`);
});

verifies(['CALL-11', 'SURF-13'], 'a run reports the cost of its summary, and the store counts the same', async () => {
  await configure(30_000, PRICED);
  const before = await converse(8);
  const spent = async () => {
    const store = await openStore({ home: cli.home.path });
    const spending = await store.sessionSpending(before);
    await store.close();
    return spending;
  };
  const earlier = await spent();
  await configure(9_000, PRICED);
  let summaries = 0;
  // The first summary is unusable but still costs tokens.
  cli.server.setScript((request) => (isSummary(request) && summaries++ === 0 ? { text: 'no' } : talk(request)));
  const file = join(cli.home.workspace, 'usage.json');
  const run = await hermes('--continue', '-z', 'topic 9', '--json', '--usage-file', file);
  const later = await spent();
  const usage = JSON.parse(await readFile(file, 'utf8')) as Record<string, number>;
  expect(usage).toMatchObject({ api_calls: 1, auxiliary_calls: 2 });
  expect(usage['total_tokens']).toBe(later.tokens - earlier.tokens);
  expect(usage['estimated_cost_usd']).toBeCloseTo(later.usd - earlier.usd, 6);
  expect(usage['auxiliary_cost_usd']).toBeCloseTo((usage['auxiliary_tokens'] ?? 0) / 1_000, 6);
  const chat = jsonLines(run.stdout).filter(({ type }) => type === 'usage') as { usage: Usage }[];
  expect(chat.map((line) => line.usage.input + line.usage.output)).toEqual([
    (usage['total_tokens'] ?? 0) - (usage['auxiliary_tokens'] ?? 0),
  ]);
  const { auxiliary } = lastLine(run.stdout) as { auxiliary?: object };
  expect(auxiliary).toMatchObject({ calls: 2, cost: { usd: usage['auxiliary_cost_usd'], status: 'estimated' } });
});
