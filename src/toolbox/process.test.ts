import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { ConfigurationError, type JsonObject } from '../base/index.ts';
import { isRunning, uniqueSeconds, untilRunning } from '../environments/conformance/bench.ts';
import { describeRunTime } from './process-actions.ts';
import { createToolFixture, errorOf } from './tools.fixture.ts';
import { fullDoseOnly } from '../../test/support/dose.ts';

type ToolFixture = Awaited<ReturnType<typeof createToolFixture>>;

async function start(fixture: ToolFixture, command: string, more: JsonObject = {}): Promise<string> {
  const outcome = await fixture.run('terminal', { command, background: true, ...more });
  const [, id = ''] = /^Started (proc_[0-9a-f]{12}) \(pid \d+\) in the background\./.exec(outcome.content) ?? [];
  expect({ status: outcome.status, id }).toMatchObject({ status: 'ok', id: expect.stringMatching(/^proc_/) });
  return id;
}

const act = (fixture: ToolFixture, action: string, id?: string, more: JsonObject = {}) =>
  fixture.run('process', { action, ...(id === undefined ? {} : { session_id: id }), ...more });

/** Polls until the text has arrived and returns all output so far. */
async function untilPrinted(fixture: ToolFixture, id: string, text: string): Promise<string> {
  let all = '';
  while (!all.includes(text)) {
    const { content } = await act(fixture, 'poll', id);
    all += content;
    if (!content.includes(' is running.')) break;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  expect(all).toContain(text);
  return all;
}

async function takeNotices(fixture: ToolFixture, sessionId = 's'): Promise<string | undefined> {
  return fixture.processes.notices.deliver(sessionId, async () => undefined);
}

describe('process', () => {
  verifies(['TOOL-5', 'TOOL-6'], 'polls, pages, writes to and waits for a background process', async () => {
    await using fixture = await createToolFixture();
    expect((await act(fixture, 'list')).content).toBe('There are no background processes.');
    const id = await start(fixture, 'seq 1 300; while read line; do echo "got $line"; done; echo over; exit 3');
    await untilPrinted(fixture, id, '300');
    expect((await act(fixture, 'list')).content).toMatch(
      new RegExp(`^${id} \\(pid \\d+\\), running: seq 1 300; while`),
    );
    expect((await act(fixture, 'submit', id.slice(0, 9), { data: 'Grüße 👋' })).status).toBe('ok');
    expect((await act(fixture, 'write', id, { data: 'two\nthr' })).content).toBe(
      `Wrote 7 characters to the stdin of ${id}.`,
    );
    await act(fixture, 'submit', id, { data: 'ee' });
    await untilPrinted(fixture, id, 'got three');
    expect((await act(fixture, 'close', id)).content).toBe(`Closed the stdin of ${id}.`);
    const { content } = await act(fixture, 'wait', id);
    expect(content).toContain(`${id} exited with code 3.`);
    expect(content).toMatch(/over$/);
    expect((await act(fixture, 'poll', id)).content).toBe(`${id} exited with code 3. No new output.`);

    const last = (await act(fixture, 'log', id)).content.split('\n');
    expect([last[0], last[1], last.at(-1), last.length]).toEqual([
      `${id} exited with code 3. Lines 105-304 of 304:`,
      '105',
      'over',
      201,
    ]);
    const page = (await act(fixture, 'log', id, { offset: 299, limit: 4 })).content;
    expect(page).toBe(`${id} exited with code 3. Lines 299-302 of 304:\n299\n300\ngot Grüße 👋\ngot two`);
    expect((await act(fixture, 'log', id, { offset: 999 })).content).toContain(
      'There is no line 999; the last line is 304.',
    );
  });

  it('explains what is not possible', async () => {
    await using fixture = await createToolFixture();
    const id = await start(fixture, 'exit 0');
    await act(fixture, 'wait', id);
    expect(errorOf(await act(fixture, 'poll'))).toContain('poll requires session_id');
    expect(errorOf(await act(fixture, 'poll', 'proc_none'))).toBe(
      `Process not found: proc_none. The background processes are ${id}.`,
    );
    expect(errorOf(await act(fixture, 'write', id, { data: 'x' }))).toContain('has exited and no longer reads');
    expect(errorOf(await act(fixture, 'close', id))).toContain('has exited and no longer reads');
    expect((await act(fixture, 'kill', id)).content).toContain('Nothing to kill.');
    const other = await start(fixture, 'read line');
    expect(errorOf(await act(fixture, 'poll', 'proc_'))).toContain('proc_ matches several processes: ');
    expect(errorOf(await act(fixture, 'write', other))).toContain('write requires data');
    expect((await act(fixture, 'dance', other)).status).toBe('invalid');
    await act(fixture, 'kill', other);
  });

  verifies('TOOL-6', 'kills a process tree that ignores SIGTERM or left its group', async () => {
    await using fixture = await createToolFixture();
    const [near, far] = [uniqueSeconds(), uniqueSeconds()];
    const command = `trap '' TERM; (setsid sleep ${far} >/dev/null 2>&1 &); echo up; while :; do sleep ${near}; done`;
    const id = await start(fixture, command);
    await untilPrinted(fixture, id, 'up');
    for (const seconds of [near, far]) await untilRunning(`sleep ${seconds}`);
    const { content } = await act(fixture, 'kill', id);
    expect(content).toMatch(/^Killed the process and its child processes\. proc_\w+ was killed by SIG(TERM|KILL)\./);
    expect([near, far].filter((seconds) => isRunning(`sleep ${seconds}`))).toEqual([]);
  });

  verifies('TOOL-6', 'keeps only the end of endless output, without blocking', async () => {
    await using fixture = await createToolFixture();
    const id = await start(fixture, 'yes "👋 forever"');
    const entry = (await fixture.processes.forSession('s', fixture.environment).list())[0];
    while ((entry?.output.droppedLines() ?? 0) < 100_000) await new Promise((resolve) => setTimeout(resolve, 5));
    expect((await fixture.run('terminal', { command: 'echo still here' })).content).toBe('still here');
    expect(entry?.output.text().length).toBeLessThanOrEqual(200_000);
    expect(entry?.output.text().isWellFormed()).toBe(true);
    expect((await act(fixture, 'poll', id)).content).toMatch(/New output \(\[… \d+ characters dropped …\]\):/);
    expect((await act(fixture, 'log', id, { offset: 1, limit: 2 })).content).toMatch(/lines before \d+ were dropped/);
    expect((await act(fixture, 'kill', id)).content).toContain('Killed the process and its child processes');
  });

  verifies('TOOL-12', 'waits for a silent process differ by its run time, so that they are no loop', () => {
    expect([0, 59_999, 60_000, 119_999, 7_260_000].map(describeRunTime)).toEqual([
      '',
      '',
      '; it was started 1 min ago',
      '; it was started 1 min ago',
      '; it was started 121 min ago',
    ]);
  });

  verifies('TOOL-6', 'ends a wait on timeout or interrupt without stopping the process', async () => {
    await using fixture = await createToolFixture();
    const id = await start(fixture, 'echo up; read line');
    await untilPrinted(fixture, id, 'up');
    expect((await act(fixture, 'wait', id, { timeout: 0 })).content).toBe(
      `${id} is running. No new output.\n[the wait timed out after 0 s; the process keeps running]`,
    );
    const stop = new AbortController();
    const waiting = fixture.run('process', { action: 'wait', session_id: id }, stop.signal);
    await new Promise(setImmediate);
    stop.abort();
    expect(await waiting).toEqual({
      status: 'interrupted',
      content: `${id} is running. No new output.\n[the wait was interrupted by the user; the process keeps running]`,
    });
    expect((await act(fixture, 'poll', id)).content).toContain('is running.');
    await act(fixture, 'close', id);
    expect((await act(fixture, 'wait', id)).content).toContain('exited with code 1');
  });

  verifies('TOOL-6', 'notifies a session once about a requested exit, unless it has read it', async () => {
    await using fixture = await createToolFixture();
    const notified = await start(fixture, 'echo built; exit 2', { notify_on_complete: true });
    const entries = await fixture.processes.forSession('s', fixture.environment).list();
    await entries[0]?.untilEnded(new AbortController().signal);
    expect(await takeNotices(fixture, 'another session')).toBeUndefined();
    expect(await takeNotices(fixture)).toBe(
      `Background process ${notified} (echo built; exit 2) exited with code 2.\nLast output:\nbuilt`,
    );
    expect(await takeNotices(fixture)).toBeUndefined();
    const read = await start(fixture, 'true', { notify_on_complete: true });
    await act(fixture, 'wait', read);
    expect(await takeNotices(fixture)).toBeUndefined();
    const killed = await start(fixture, 'read line', { notify_on_complete: true });
    await act(fixture, 'kill', killed);
    expect(await takeNotices(fixture)).toBeUndefined();
  });

  verifies('TOOL-6', 'notifies a session about lines that match a watch pattern', async () => {
    await using fixture = await createToolFixture();
    const id = await start(fixture, 'echo starting; echo "Listening on 3000"; echo "code 42 seen"; read line', {
      watch_patterns: ['Listening', '/code \\d+/'],
    });
    await untilPrinted(fixture, id, 'seen');
    let notice: string | undefined;
    while (notice === undefined) {
      notice = await takeNotices(fixture);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(notice).toMatch(/^Background process proc_\w+ \(echo starting; .*\) printed:\nListening on 3000/);
    expect(notice).not.toContain('starting\n');
    expect(
      errorOf(await fixture.run('terminal', { command: 'true', background: true, watch_patterns: ['/(/'] })),
    ).toContain('The watch pattern /(/ is not a valid regular expression');
    await act(fixture, 'kill', id);
  });

  verifies('TOOL-6', 'shows sessions only their own processes', async () => {
    await using fixture = await createToolFixture();
    const other = fixture.processes.forSession('other', fixture.environment);
    const { id } = await other.start({ command: 'read line', workingDirectory: fixture.folder });
    expect((await act(fixture, 'list')).content).toBe('There are no background processes.');
    expect(errorOf(await act(fixture, 'kill', id))).toContain(`Process not found: ${id}`);
    expect((await other.list()).map((process) => process.id)).toEqual([id]);
  });

  verifies(
    'TOOL-6',
    'limits running processes to 64; exited ones make room',
    { ...fullDoseOnly, timeout: 60_000 },
    async () => {
      await using fixture = await createToolFixture();
      const calls = Array.from({ length: 65 }, (_, at) => ({
        name: 'terminal',
        args: { command: `read line # ${at}`, background: true },
      }));
      const outcomes = await fixture.runAll(calls);
      expect(outcomes.slice(0, 64).filter(({ status }) => status !== 'ok')).toEqual([]);
      expect(errorOf(outcomes[64] as (typeof outcomes)[number])).toContain(
        '64 background processes are already running',
      );
      const first = /proc_\w+/.exec((await act(fixture, 'list')).content)?.[0] ?? '';
      await act(fixture, 'kill', first);
      await start(fixture, 'read line # one more');
      expect(errorOf(await act(fixture, 'poll', first))).toContain('Process not found');
    },
  );

  verifies(['APPR-1', 'TOOL-6'], 'judges input to a background shell like a command', async () => {
    await using fixture = await createToolFixture();
    await fixture.put('keep/x.txt', 'x');
    expect((await fixture.run('terminal', { command: 'rm -rf keep', background: true })).status).toBe('denied');
    const id = await start(fixture, 'bash -s');
    expect((await act(fixture, 'write', id, { data: 'rm -rf ' })).status).toBe('denied');
    expect((await act(fixture, 'write', id, { data: 'rm ' })).status).toBe('ok');
    expect((await act(fixture, 'submit', id, { data: '-rf keep' })).status).toBe('denied');
    expect(fixture.asked.at(-1)).toMatchObject({ toolName: 'process', subject: 'rm -rf keep' });
    expect(await fixture.get('keep/x.txt')).toBe('x');
    const plain = await start(fixture, 'cat');
    expect((await act(fixture, 'submit', plain, { data: "rm -rf / isn't run by cat" })).status).toBe('ok');
  });

  it('uses a pseudo-terminal on request', async () => {
    await using fixture = await createToolFixture();
    const id = await start(fixture, '[ -t 0 ] && stty size; read line; echo "got $line"', { pty: true });
    await untilPrinted(fixture, id, '24 80');
    await act(fixture, 'submit', id, { data: 'typed' });
    const { content } = await act(fixture, 'wait', id);
    expect(content).toContain('got typed');
    expect((await act(fixture, 'log', id)).content).not.toContain('\r');
  });

  it('sends Enter to a pseudo-terminal, also in raw mode', async () => {
    await using fixture = await createToolFixture();
    const command = 'stty -icanon -icrnl; echo up; head -c 6 | od -An -c';
    const id = await start(fixture, command, { pty: true });
    await untilPrinted(fixture, id, 'up');
    await act(fixture, 'submit', id, { data: 'typed' });
    expect((await act(fixture, 'wait', id)).content).toMatch(/t +y +p +e +d +\\r/);
  });

  it('reports why no pseudo-terminal is available', async () => {
    await using other = await createToolFixture();
    const fault = new ConfigurationError('No terminal here.', { hint: 'Do without it.' });
    const environment = { ...other.environment, start: () => Promise.reject(fault) };
    await using fixture = await createToolFixture({ set: { environment } });
    for (const background of [true, false]) {
      const outcome = await fixture.run('terminal', { command: 'true', pty: true, background });
      expect(errorOf(outcome)).toBe('No terminal here. Nothing was run. Do without it.');
    }
    expect((await act(fixture, 'list')).content).toBe('There are no background processes.');
  });

  it('runs read-only actions in parallel and others alone', async () => {
    await using fixture = await createToolFixture();
    const id = await start(fixture, 'read line; echo "got $line"');
    // The first wait does not block the log, and the batch ends although the input comes after that wait.
    const outcomes = await fixture.runAll([
      { name: 'process', args: { action: 'wait', session_id: id, timeout: 0 } },
      { name: 'process', args: { action: 'log', session_id: id } },
      { name: 'process', args: { action: 'submit', session_id: id, data: 'x' } },
      { name: 'process', args: { action: 'wait', session_id: id } },
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'ok']);
    expect(outcomes[3]?.content).toContain('got x');
  });

  it('runs nothing in the background without a process table', async () => {
    await using fixture = await createToolFixture({ set: { processes: undefined } });
    expect(errorOf(await fixture.run('terminal', { command: 'true', background: true }))).toContain(
      'not available here. Nothing was run',
    );
    expect(errorOf(await act(fixture, 'list'))).toContain('Background processes are not available here');
  });
});
