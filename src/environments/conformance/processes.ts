import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { dose } from '../../../test/support/dose.ts';
import type { RunningProcess } from '../../contracts/index.ts';
import { type Bench, isRunning, uniqueSeconds, untilRunning } from './bench.ts';

/** Resolves with all output once it contains the text. Earlier output is passed to the listener synchronously. */
async function untilPrinted(process: RunningProcess, text: string): Promise<string> {
  const found = Promise.withResolvers<string>();
  let output = '';
  const stop = process.onOutput((piece) => {
    output += piece;
    if (output.includes(text)) found.resolve(output);
  });
  return found.promise.finally(stop);
}

export function describeProcesses(bench: () => Bench): void {
  describe('a started process', () => {
    verifies('TOOL-6', 'reads stdin, reports all output from the start, and its exit code', async () => {
      const process = await bench().environment.start('echo ready; read line; echo "got $line" >&2; cat; exit 5');
      expect(await untilPrinted(process, 'ready')).toBe('ready\n');
      let rest = '';
      process.onOutput((text) => (rest += text));
      await process.write('Grüße\nmore');
      process.closeInput();
      expect(await process.ended).toEqual({ exitCode: 5, signalName: undefined });
      expect(rest).toBe('got Grüße\nmore');
      await expect(process.write('late')).rejects.toThrow();
    });

    it('inherits the shell state and does not change it', async () => {
      const { environment, run } = await bench().fresh();
      await run('cd /; export FROM=before; f() { echo "f $FROM $PWD"; }');
      const process = await environment.start('f; cd /usr; export FROM=inside');
      expect(await untilPrinted(process, 'f ')).toBe('f before /\n');
      await process.ended;
      expect((await run('echo "$FROM $PWD"')).output).toBe('before /\n');
    });
  });
}

export function describeStartedProcesses(bench: () => Bench): void {
  describe('a running process', () => {
    verifies('TOOL-6', 'is found by its record only while it is the same process', async () => {
      const seconds = uniqueSeconds();
      const { environment } = bench();
      const process = await environment.start(`sleep ${seconds}`);
      const record = JSON.parse(JSON.stringify(process.record)) as RunningProcess['record'];
      await untilRunning(`sleep ${seconds}`);
      expect(await environment.findProcess({ ...record, startTime: 'another' })).toBeUndefined();
      const found = await environment.findProcess(record);
      expect(await found?.isRunning()).toBe(true);
      expect(await found?.kill()).toBe(true);
      expect(isRunning(`sleep ${seconds}`)).toBe(false);
      await process.ended;
      expect(await environment.findProcess(record)).toBeUndefined();
    });
  });
}

export function describeOrphanedProcesses(bench: () => Bench): void {
  describe('the orphaned processes of a command', () => {
    verifies('TOOL-6', 'are reported with their output and can be killed', async () => {
      const [one, other] = [uniqueSeconds(), uniqueSeconds()];
      const go = join(bench().folder, `go-${one}`);
      const waits = `while [ ! -e '${go}' ]; do sleep 0.05; done; echo later; sleep ${other}`;
      const { orphaned, output, ended } = await bench().run(`sleep ${one} & { ${waits}; } & echo over`);
      expect([output, ended]).toEqual(['over\n', 'exit']);
      if (bench().environment.name === 'sandbox') {
        // In a sandbox no process outlives its command.
        expect([orphaned, isRunning(`sleep ${one}`)]).toEqual([undefined, false]);
        return;
      }
      if (orphaned === undefined) throw new Error('nothing was left');
      expect(orphaned.members.map((member) => member.command)).toContain(`sleep ${one}`);
      expect(orphaned.members.map(({ pid }) => pid)).toContain(orphaned.pid);
      const heard = Promise.withResolvers<void>();
      orphaned.onOutput((text) => (text.includes('later') ? heard.resolve() : undefined));
      await writeFile(go, '');
      await heard.promise;
      await untilRunning(`sleep ${other}`);
      expect(await orphaned.isRunning()).toBe(true);
      expect(await (await bench().environment.findProcess(orphaned.record))?.isRunning()).toBe(true);
      expect(await orphaned.kill()).toBe(true);
      expect([one, other].filter((seconds) => isRunning(`sleep ${seconds}`))).toEqual([]);
      expect(await orphaned.isRunning()).toBe(false);
    });

    verifies('TOOL-6', 'exclude finished and deliberately detached ones', async () => {
      const [one, other] = [uniqueSeconds(), uniqueSeconds()];
      expect((await bench().run('sleep 0.01 & wait; echo over')).orphaned).toBeUndefined();
      if (bench().environment.name === 'sandbox') return;
      const away = `nohup sleep ${one} >/dev/null 2>&1 & setsid sleep ${other} >/dev/null 2>&1 & sleep 0.2; jobs -p`;
      const { orphaned, output } = await bench().run(away);
      expect(orphaned).toBeUndefined();
      expect([one, other].map((seconds) => isRunning(`sleep ${seconds}`))).toEqual([true, true]);
      await bench().run(`kill ${output.trim().split('\n').join(' ')}`);
    });

    it('come after the record of the command', async () => {
      const begun: number[] = [];
      // Ended by the record, because reading the start time may take long on a busy machine.
      const read = new AbortController();
      await bench().run('sleep 30', {
        signal: read.signal,
        onBegun({ pid, startTime, mark }) {
          begun.push(pid, startTime.length, mark.length);
          read.abort();
        },
      });
      expect(begun).toHaveLength(3);
      expect(begun.every((value) => value > 0)).toBe(true);
    });
  });
}

export function describeTerminals(bench: () => Bench, withoutTerminals: boolean): void {
  describe('a process in a terminal', () => {
    it.skipIf(withoutTerminals)('knows its size and reads input', async () => {
      const size = { columns: 61, rows: 17 };
      // A resize may take longer to arrive than input.
      const changed = 'until [ "$(stty size)" = "30 90" ]; do sleep 0.05; done';
      const command = `[ -t 0 ] && [ -t 1 ] && stty size; read line; ${changed}; echo "got $line"; exit 6`;
      const process = await bench().environment.start(command, { pty: size });
      expect(await untilPrinted(process, '17 61')).toContain('17 61');
      process.resize?.(90, 30);
      const rest = untilPrinted(process, 'got');
      await process.write('typed\r');
      expect(await rest).toContain('got typed');
      expect(await process.ended).toEqual({ exitCode: 6, signalName: undefined });
    });

    it.skipIf(withoutTerminals)('receives every key, including detach keys', async () => {
      const command = 'stty raw -echo; echo ready; dd bs=1 count=3 2>/dev/null | od -An -tx1';
      const process = await bench().environment.start(command, { pty: { columns: 80, rows: 24 } });
      await untilPrinted(process, 'ready');
      const rest = untilPrinted(process, '1b');
      await process.write('\u0010\u0011\u001B');
      expect(await rest).toContain('10 11 1b');
      await process.ended;
    });

    it.skipIf(withoutTerminals)('returns all output of its terminal and nothing else', async () => {
      // A background process keeps the terminal open, and the reader is delayed.
      const command = "sleep 60 & seq 1 30000; printf 'the \\036 end'; kill $!";
      const process = await bench().environment.start(command, { pty: { columns: 80, rows: 24 } });
      let output = '';
      process.onOutput((text) => (output += text));
      const until = performance.now() + 300;
      while (performance.now() < until);
      await process.ended;
      expect(output.startsWith('1\r\n2\r\n')).toBe(true);
      expect(output.slice(-23)).toBe('29999\r\n30000\r\nthe \u001E end');
      expect(output.length).toBe(198_894 + 9);
    });

    it.skipIf(withoutTerminals)('ends with its terminal when it is killed', async () => {
      const seconds = uniqueSeconds();
      const process = await bench().environment.start(`sleep ${seconds}; true`, { pty: { columns: 80, rows: 24 } });
      await untilRunning(`sleep ${seconds}`);
      expect(await process.kill()).toBe(true);
      await process.ended;
      expect(isRunning(`sleep ${seconds}`)).toBe(false);
    });
  });
}

export function describeStopping(bench: () => Bench): void {
  describe('a command that is stopped', () => {
    verifies(['TOOL-6', 'LOOP-7'], 'ends with everything it started, including detached processes', async () => {
      const [near, far, last] = [uniqueSeconds(), uniqueSeconds(), uniqueSeconds()];
      // Its parent has exited and it has left the session: only the process tag identifies it.
      const orphan = uniqueSeconds();
      const command = `(setsid sleep ${orphan} >/dev/null 2>&1 &); sleep ${near} & setsid sh -c 'sleep ${far} & exec sleep ${last}' >/dev/null 2>&1 & wait`;
      const abort = new AbortController();
      const running = bench().run(command, { signal: abort.signal });
      for (const seconds of [near, far, last, orphan]) await untilRunning(`sleep ${seconds}`);
      abort.abort();
      expect(await running).toMatchObject({ ended: 'interrupted', exitCode: undefined, leftRunning: false });
      expect([near, far, last, orphan].filter((seconds) => isRunning(`sleep ${seconds}`))).toEqual([]);
    });

    verifies('TOOL-6', 'gets SIGTERM first and keeps the output it then prints', async () => {
      const seconds = uniqueSeconds();
      const abort = new AbortController();
      const command = `trap "echo asked; exit 0" TERM; sleep ${seconds} & wait`;
      const begun = Promise.withResolvers<void>();
      const running = bench().run(command, { signal: abort.signal, onBegun: () => begun.resolve() });
      // A command that is not known to have started is killed without SIGTERM.
      await Promise.all([begun.promise, untilRunning(`sleep ${seconds}`)]);
      abort.abort();
      expect(await running).toMatchObject({ output: 'asked\n', ended: 'interrupted', leftRunning: false });
    });

    it('gets SIGTERM together with processes that it starts only then', async () => {
      const [first, second] = [uniqueSeconds(), uniqueSeconds()];
      const abort = new AbortController();
      const command = `trap 'sleep ${second} & wait $!; echo "$?"; exit 0' TERM; sleep ${first} & wait`;
      const begun = Promise.withResolvers<void>();
      const running = bench().run(command, { signal: abort.signal, onBegun: () => begun.resolve() });
      // A command that is not known to have started is killed without SIGTERM.
      await Promise.all([begun.promise, untilRunning(`sleep ${first}`)]);
      abort.abort();
      // The exit code of SIGTERM; after SIGKILL nothing could print it.
      expect((await running).output).toMatch(/^143$/m);
    });

    // In parallel, because each of them waits for the grace period.
    verifies('TOOL-6', 'is killed with its whole tree if it ignores SIGTERM', async () => {
      await Promise.all([
        stopCommandIgnoringTerm(bench()),
        stopFirstCommand(bench()),
        killProcessIgnoringTerm(bench()),
      ]);
    });
  });
  describeUnruly(bench);
}

function describeUnruly(bench: () => Bench): void {
  describe('an unruly command that is stopped', () => {
    it('may print endlessly', async () => {
      const { output, ended } = await bench().run('yes', { timeoutMs: dose(250, 500), maxOutput: 1000 });
      expect(ended).toBe('timeout');
      expect(output.length).toBeLessThan(1100);
    });

    it('may start processes continuously', async () => {
      const seconds = uniqueSeconds();
      const command = `while :; do setsid sleep ${seconds} >/dev/null 2>&1 & sleep 0.02; done`;
      const { ended, leftRunning } = await bench().run(command, { timeoutMs: 500 });
      expect({ ended, leftRunning }).toEqual({ ended: 'timeout', leftRunning: false });
      expect(isRunning(`sleep ${seconds}`)).toBe(false);
    });

    it('is not started after an abort', async () => {
      const { run, environment } = bench();
      expect((await run('touch begun', { signal: AbortSignal.abort() })).ended).toBe('interrupted');
      expect(await environment.stat('begun')).toBeUndefined();
    });
  });
}

async function stopCommandIgnoringTerm({ run }: Bench): Promise<void> {
  const seconds = uniqueSeconds();
  const abort = new AbortController();
  const running = run(`trap '' TERM; sleep ${seconds}; sleep ${seconds}`, { signal: abort.signal });
  await untilRunning(`sleep ${seconds}`);
  abort.abort();
  expect(await running).toMatchObject({ ended: 'interrupted', leftRunning: false });
  expect(isRunning(`sleep ${seconds}`)).toBe(false);
}

/** The first command of an environment, for which no shell state exists yet. */
async function stopFirstCommand(bench: Bench): Promise<void> {
  const seconds = uniqueSeconds();
  const { run } = await bench.fresh();
  const abort = new AbortController();
  // The sleep ignores SIGTERM too, so it survives the grace period and has lost its parent when everything is killed.
  const running = run(`trap '' TERM; setsid --wait sleep ${seconds}; true`, { signal: abort.signal });
  await untilRunning(`sleep ${seconds}`);
  abort.abort();
  expect(await running).toMatchObject({ ended: 'interrupted', leftRunning: false });
  expect(isRunning(`sleep ${seconds}`)).toBe(false);
}

async function killProcessIgnoringTerm({ environment }: Bench): Promise<void> {
  const [near, far] = [uniqueSeconds(), uniqueSeconds()];
  const command = `trap '' TERM; setsid sleep ${far} >/dev/null 2>&1 & sleep ${near}; sleep ${near}`;
  const process = await environment.start(command);
  for (const seconds of [near, far]) await untilRunning(`sleep ${seconds}`);
  expect(await process.kill()).toBe(true);
  expect([near, far].filter((seconds) => isRunning(`sleep ${seconds}`))).toEqual([]);
  expect((await process.ended).exitCode).toBeUndefined();
  expect(await process.kill()).toBe(true);
}
