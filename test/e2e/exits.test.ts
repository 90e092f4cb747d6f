import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { describe, expect } from 'vitest';
import { isRunning, uniqueSeconds } from '../../src/environments/conformance/bench.ts';
import { startHermes } from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { writePrompts } from '../support/batch-fixture.ts';
import { jsonLines, useCliFixture } from '../support/cli-fixture.ts';
import { dose, fullDoseOnly } from '../support/dose.ts';
import { openTerminal } from '../support/open-terminal.ts';
import { runHermes } from '../support/run-hermes.ts';
import { waitUntil } from '../support/wait-until.ts';

const cli = useCliFixture();
const BINARY = join(import.meta.dirname, '../../bin/hermes.js');
/** The machine may be busy; a passing test waits for none of this. */
const TIMEOUT_MS = 120_000;
const FULL_DOSE = { ...fullDoseOnly, timeout: TIMEOUT_MS };

type Worker = {
  /** The file that it creates in its working directory after its first output. */
  readonly name: string;
  /** The command line of its process, which no other process has. */
  readonly line: string;
  readonly command: string;
};

const IGNORE_SIGNALS = 'trap "" TERM INT HUP; ';
const WORKERS = {
  willing: 'echo up; : > "$0"; while :; do echo tick; sleep 0.1; done',
  /** Ignores every signal that can be ignored. */
  stubborn: `${IGNORE_SIGNALS}echo up; : > "$0"; while :; do echo tick; sleep 0.1; done`,
  /** Survives the loss of its output too, because it prints nothing. */
  silent: `${IGNORE_SIGNALS}: > "$0"; while :; do sleep 0.1; done`,
};

function newWorker(kind: keyof typeof WORKERS): Worker {
  const script = WORKERS[kind];
  const name = `worker-${uniqueSeconds()}`;
  return { name, line: `sh -c ${script} ${name}`, command: `sh -c '${script}' ${name}; true` };
}

/** The model calls the worker; after its result it answers. */
async function prepare(worker: Worker): Promise<void> {
  await cli.configure();
  cli.server.setScript((request) =>
    request.toolResults.length > 0
      ? { reasoning: 'It ended.', text: 'continued' }
      : {
          reasoning: 'I run it.',
          toolCalls: [{ id: 'call_1', name: 'terminal', arguments: { command: worker.command } }],
        },
  );
}

async function untilWorking({ name }: Worker, folder = cli.home.workspace): Promise<void> {
  await waitUntil(() => expect(readdirSync(folder, { recursive: true }).join('\n')).toContain(name));
}

type Stored = {
  sessions: unknown[];
  turns: { exit_reason: string }[];
  results: { content: string; tool_status: string }[];
};

function readStored(folder: string): Stored & { calls: number; leases: number } {
  const database = new DatabaseSync(join(folder, 'state.db'), { readOnly: true });
  try {
    const all = (sql: string) => database.prepare(sql).all() as never[];
    return {
      sessions: all('SELECT id FROM sessions'),
      turns: all('SELECT exit_reason FROM turns'),
      calls: all("SELECT id FROM messages WHERE role = 'assistant' AND tool_calls IS NOT NULL").length,
      results: all("SELECT content, tool_status FROM messages WHERE role = 'tool'"),
      leases: all('SELECT session_id FROM session_leases WHERE released = 0').length,
    };
  } finally {
    database.close();
  }
}

/** Nothing runs, the call has its result, the turn its record, the lease is free, and the session continues immediately. */
async function expectCleanExit(worker: Worker, folder = cli.home.path): Promise<void> {
  expect(isRunning(worker.line)).toBe(false);
  const stored = readStored(folder);
  expect(stored).toMatchObject({ calls: 1, leases: 0, turns: [{ exit_reason: 'interrupted' }] });
  expect(stored.results).toEqual([{ content: expect.stringMatching(/^up\n/), tool_status: 'interrupted' }]);
  if (folder !== cli.home.path) return;
  const next = await runHermes(['--continue', '-z', 'go on'], { home: cli.home });
  expect(next).toMatchObject({ exitCode: 0, stdout: 'continued\n' });
}

const ONCE = {
  '--json': ['--json', '-q', 'go'],
  '-q': ['-q', 'go'],
  '-z': ['-z', 'go'],
} as const;
type Signals = readonly NodeJS.Signals[];

async function endBySignals(args: readonly string[], worker: Worker, signals: Signals): Promise<void> {
  await prepare(worker);
  const running = startHermes(args, { home: cli.home, input: '' });
  await untilWorking(worker);
  for (const signal of signals) running.kill(signal);
  // The kernel merges equal signals that are pending, so a single repetition might be lost.
  const isRepeated = new Set(signals).size < signals.length;
  const repeating = isRepeated ? setInterval(() => running.kill(signals.at(-1)), 50) : undefined;
  const { exitCode } = await running.exited;
  clearInterval(repeating);
  expect(exitCode).toBe(130);
  await expectCleanExit(worker);
}

describe('a process that receives signals while a tool runs', () => {
  verifies(
    ['BOUND-4', 'LOOP-7'],
    'ends a tool that ignores signals, stores its result and releases the lease',
    () => endBySignals(ONCE['--json'], newWorker('stubborn'), ['SIGTERM']),
    TIMEOUT_MS,
  );

  verifies(
    ['BOUND-4', 'LOOP-7'],
    'does the same on a second signal, without the grace period',
    { ...fullDoseOnly, timeout: TIMEOUT_MS },
    () => endBySignals(ONCE['-z'], newWorker('stubborn'), ['SIGINT', 'SIGINT']),
  );

  for (const [mode, args] of Object.entries(ONCE)) {
    for (const signals of [
      ['SIGTERM'],
      ['SIGHUP'],
      ['SIGINT'],
      ['SIGINT', 'SIGINT'],
      ['SIGTERM', 'SIGHUP', 'SIGTERM'],
    ] as Signals[]) {
      for (const kind of ['willing', 'stubborn'] as const) {
        verifies('BOUND-4', `with ${mode}, ${signals.join(' and ')} and a ${kind} tool`, FULL_DOSE, () =>
          endBySignals(args, newWorker(kind), signals),
        );
      }
    }
  }
});

describe('a process that loses its output while a tool runs', () => {
  verifies(
    ['BOUND-4', 'SURF-13'],
    'stops the turn, stores it, and exits silently with 141 (`| grep -m 1`)',
    { ...fullDoseOnly, timeout: TIMEOUT_MS },
    async () => {
      const worker = newWorker('stubborn');
      await prepare(worker);
      const { path, userHome, workspace } = cli.home;
      const env = { PATH: process.env['PATH'], TMPDIR: tmpdir(), HOME: userHome, HERMES_HOME: path };
      const line = '"$0" "$1" --json -q go </dev/null | grep -m 1 tool-progress; echo "${PIPESTATUS[0]}"';
      const shell = ['-c', line, process.execPath, BINARY];
      const { stdout, stderr } = await promisify(execFile)('bash', shell, { cwd: workspace, env });
      const [first = '', code] = stdout.trimEnd().split('\n');
      expect(jsonLines(first)[0]).toMatchObject({ type: 'tool-progress' });
      expect([code, stderr]).toEqual(['141', '']);
      await expectCleanExit(worker);
    },
  );

  for (const name of ['stdout', 'stderr'] as const) {
    verifies('BOUND-4', `with a closed ${name}, in a run that prints progress`, FULL_DOSE, async () => {
      const worker = newWorker('willing');
      await prepare(worker);
      // Warnings and errors of a verbose run go to stderr, everything else to stdout.
      const running = startHermes(name === 'stdout' ? ['--json', '-q', 'go'] : ['-q', 'go'], {
        home: cli.home,
        input: '',
      });
      await untilWorking(worker);
      running.child[name].destroy();
      // Nothing is written to stderr while the tool runs, so the loss is noticed only when the turn ends.
      if (name === 'stderr') running.kill('SIGTERM');
      expect([130, 141]).toContain((await running.exited).exitCode);
      await expectCleanExit(worker);
    });
  }
});

describe('a terminal that is closed while a tool runs', () => {
  const MODES = { 'plain mode': { HERMES_PLAIN: '1' }, 'the screen': {} } as const;
  const KINDS = dose(['stubborn'] as const, ['willing', 'stubborn'] as const);
  for (const [mode, env] of Object.entries(MODES)) {
    for (const kind of KINDS) {
      verifies(
        ['BOUND-4', 'LOOP-7'],
        `in ${mode}: a ${kind} tool ends, and the turn is stored`,
        { timeout: TIMEOUT_MS, skip: dose(mode === 'the screen', false) },
        async () => {
          const worker = newWorker(kind);
          await prepare(worker);
          const terminal = openTerminal({ home: cli.home, args: ['chat', 'go'], env: { NO_COLOR: '1', ...env } });
          await untilWorking(worker);
          terminal.hangUp();
          expect(await terminal.exited).toBe(130);
          await expectCleanExit(worker);
        },
      );
    }

    for (const signal of ['SIGTERM', 'SIGHUP'] as const) {
      verifies('BOUND-4', `in ${mode}, after ${signal}`, FULL_DOSE, async () => {
        const worker = newWorker('stubborn');
        await prepare(worker);
        const terminal = openTerminal({ home: cli.home, args: ['chat', 'go'], env: { NO_COLOR: '1', ...env } });
        await untilWorking(worker);
        process.kill(terminal.pid(), signal);
        expect(await terminal.exited).toBe(130);
        await expectCleanExit(worker);
      });
    }

    verifies(['BOUND-4', 'LOOP-7'], `in ${mode}, after Ctrl-C twice`, FULL_DOSE, async () => {
      const worker = newWorker('stubborn');
      await prepare(worker);
      const terminal = openTerminal({ home: cli.home, args: ['chat', 'go'], env: { NO_COLOR: '1', ...env } });
      await untilWorking(worker);
      terminal.press('ctrl-c');
      await terminal.until(() => terminal.bytes().includes('Press Ctrl-C again'));
      terminal.press('ctrl-c');
      expect(await terminal.exited).toBe(130);
      await expectCleanExit(worker);
    });
  }
});

describe('a batch', () => {
  verifies('BOUND-4', 'interrupts and stores its running prompts on a second signal', FULL_DOSE, async () => {
    const worker = newWorker('stubborn');
    await prepare(worker);
    await writePrompts(cli.home, [{ prompt: 'go' }]);
    const args = ['batch', 'run', '--input', 'prompts.jsonl', '--output', 'out', '--workers', '1'];
    const running = startHermes(args, { home: cli.home, input: '' });
    await untilWorking(worker);
    running.kill('SIGINT');
    await running.waitForOutput('Finishing the prompts in progress');
    running.kill('SIGINT');
    expect((await running.exited).exitCode).toBe(130);
    await expectCleanExit(worker, join(cli.home.workspace, 'out', 'run'));
  });
});

describe('kill -9 while a foreground tool runs', () => {
  verifies(
    ['BOUND-4', 'TOOL-6'],
    'reports what it left running to the resumed session, which can kill it',
    { ...fullDoseOnly, timeout: TIMEOUT_MS },
    async () => {
      const worker = newWorker('silent');
      await prepare(worker);
      const victim = startHermes(['-z', 'go'], { home: cli.home, input: '' });
      await untilWorking(worker);
      const isRecorded = () => readdirSync(join(cli.home.path, 'processes')).some((name) => name.endsWith('.json'));
      await waitUntil(() => expect(isRecorded()).toBe(true));
      victim.kill('SIGKILL');
      await victim.exited;
      cli.server.setScript([
        { toolCalls: [{ name: 'process', arguments: { action: 'kill', session_id: 'proc_' } }] },
        { text: 'continued' },
      ]);
      const next = await runHermes(['--continue', '-z', 'go on'], { home: cli.home });
      expect(next).toMatchObject({ exitCode: 0, stdout: 'continued\n' });
      expect(cli.server.requests.at(-2)?.messages.at(-1)?.text).toContain('are still running:\n- proc_');
      expect(isRunning(worker.line)).toBe(false);
      const { calls, results, leases } = readStored(cli.home.path);
      expect([calls, results.length, leases]).toEqual([2, 2, 0]);
    },
  );
});
