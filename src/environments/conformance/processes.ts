import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { dose } from '../../../test/support/dose.ts';
import type { RunningProcess } from '../../contracts/index.ts';
import { type Bench, isRunning, ownSeconds, untilRunning } from './bench.ts';

/** Resolves with all output when it has the text. What was printed already is told while one begins to listen. */
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
    verifies('TOOL-6', 'reads what it is given, is heard from the start, and tells how it ended', async () => {
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

    it('starts from what commands left behind, and leaves nothing behind itself', async () => {
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
  describe('a process that runs by itself', () => {
    verifies('TOOL-6', 'is found again by its record, and only as long as it is the same', async () => {
      const seconds = ownSeconds();
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

export function describeLeftProcesses(bench: () => Bench): void {
  describe('what a command leaves running', () => {
    verifies('TOOL-6', 'is told, is heard, and can be ended', async () => {
      const [one, other] = [ownSeconds(), ownSeconds()];
      const go = join(bench().folder, `go-${one}`);
      const waits = `while [ ! -e '${go}' ]; do sleep 0.05; done; echo later; sleep ${other}`;
      const { left, output, ended } = await bench().run(`sleep ${one} & { ${waits}; } & echo over`);
      expect([output, ended]).toEqual(['over\n', 'exit']);
      if (bench().environment.name === 'sandbox') {
        // Nothing outlives its command there.
        expect([left, isRunning(`sleep ${one}`)]).toEqual([undefined, false]);
        return;
      }
      if (left === undefined) throw new Error('nothing was left');
      expect(left.members.map((member) => member.command)).toContain(`sleep ${one}`);
      expect(left.members.map(({ pid }) => pid)).toContain(left.pid);
      const heard = Promise.withResolvers<void>();
      left.onOutput((text) => (text.includes('later') ? heard.resolve() : undefined));
      await writeFile(go, '');
      await heard.promise;
      await untilRunning(`sleep ${other}`);
      expect(await left.isRunning()).toBe(true);
      expect(await (await bench().environment.findProcess(left.record))?.isRunning()).toBe(true);
      expect(await left.kill()).toBe(true);
      expect([one, other].filter((seconds) => isRunning(`sleep ${seconds}`))).toEqual([]);
      expect(await left.isRunning()).toBe(false);
    });

    verifies('TOOL-6', 'is nothing where all has ended, or was sent away on purpose', async () => {
      const [one, other] = [ownSeconds(), ownSeconds()];
      expect((await bench().run('sleep 0.01 & wait; echo over')).left).toBeUndefined();
      if (bench().environment.name === 'sandbox') return;
      const away = `nohup sleep ${one} >/dev/null 2>&1 & setsid sleep ${other} >/dev/null 2>&1 & sleep 0.2; jobs -p`;
      const { left, output } = await bench().run(away);
      expect(left).toBeUndefined();
      expect([one, other].map((seconds) => isRunning(`sleep ${seconds}`))).toEqual([true, true]);
      await bench().run(`kill ${output.trim().split('\n').join(' ')}`);
    });

    it('is told with the record of the command before that', async () => {
      const begun: number[] = [];
      await bench().run('sleep 0.2', {
        onBegun: ({ pid, startTime, mark }) => void begun.push(pid, startTime.length, mark.length),
      });
      expect(begun).toHaveLength(3);
      expect(begun.every((value) => value > 0)).toBe(true);
    });
  });
}

export function describeTerminals(bench: () => Bench, withoutTerminals: boolean): void {
  describe('a process in a terminal', () => {
    it.skipIf(withoutTerminals)('knows its size, and reads what is typed', async () => {
      const size = { columns: 61, rows: 17 };
      // A new size may be on its way for longer than what is typed.
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

    it.skipIf(withoutTerminals)('is given every key, also those that something on the way would keep', async () => {
      const command = 'stty raw -echo; echo ready; dd bs=1 count=3 2>/dev/null | od -An -tx1';
      const process = await bench().environment.start(command, { pty: { columns: 80, rows: 24 } });
      await untilPrinted(process, 'ready');
      const rest = untilPrinted(process, '1b');
      await process.write('\u0010\u0011\u001B');
      expect(await rest).toContain('10 11 1b');
      await process.ended;
    });

    it.skipIf(withoutTerminals)(
      'is heard to the last line of its terminal, and nothing but its own words',
      async () => {
        // Something that stays has the terminal open, and the reader is late.
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
      },
    );

    it.skipIf(withoutTerminals)('ends with its terminal when it is killed', async () => {
      const seconds = ownSeconds();
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
    verifies(['TOOL-6', 'LOOP-7'], 'ends with everything it started, wherever that went', async () => {
      const [near, far, last] = [ownSeconds(), ownSeconds(), ownSeconds()];
      // Its parent has exited and it has left the session: only the mark identifies it.
      const orphan = ownSeconds();
      const command = `(setsid sleep ${orphan} >/dev/null 2>&1 &); sleep ${near} & setsid sh -c 'sleep ${far} & exec sleep ${last}' >/dev/null 2>&1 & wait`;
      const abort = new AbortController();
      const running = bench().run(command, { signal: abort.signal });
      for (const seconds of [near, far, last, orphan]) await untilRunning(`sleep ${seconds}`);
      abort.abort();
      expect(await running).toMatchObject({ ended: 'interrupted', exitCode: undefined, leftRunning: false });
      expect([near, far, last, orphan].filter((seconds) => isRunning(`sleep ${seconds}`))).toEqual([]);
    });

    verifies('TOOL-6', 'is asked first, and keeps what it then says', async () => {
      const seconds = ownSeconds();
      const abort = new AbortController();
      const command = `trap "echo asked; exit 0" TERM; sleep ${seconds} & wait`;
      const begun = Promise.withResolvers<void>();
      const running = bench().run(command, { signal: abort.signal, onBegun: () => begun.resolve() });
      // A command that is not known to have started is killed without SIGTERM.
      await Promise.all([begun.promise, untilRunning(`sleep ${seconds}`)]);
      abort.abort();
      expect(await running).toMatchObject({ output: 'asked\n', ended: 'interrupted', leftRunning: false });
    });

    it('is asked with what it starts only then', async () => {
      const [first, second] = [ownSeconds(), ownSeconds()];
      const abort = new AbortController();
      const command = `trap 'sleep ${second} & wait $!; echo "$?"; exit 0' TERM; sleep ${first} & wait`;
      const begun = Promise.withResolvers<void>();
      const running = bench().run(command, { signal: abort.signal, onBegun: () => begun.resolve() });
      // A command that is not known to have started is killed without SIGTERM.
      await Promise.all([begun.promise, untilRunning(`sleep ${first}`)]);
      abort.abort();
      // That of SIGTERM: whoever is killed instead has nobody left who could say so.
      expect((await running).output).toMatch(/^143$/m);
    });

    // Each of them waits for the time between asking and killing, so all do it at once.
    verifies(
      'TOOL-6',
      'is killed where it does not listen, with all it started and what left its session',
      async () => {
        await Promise.all([stopDeafCommand(bench()), stopFirstCommand(bench()), killDeafProcess(bench())]);
      },
    );
  });
  describeUnruly(bench);
}

function describeUnruly(bench: () => Bench): void {
  describe('an unruly command that is stopped', () => {
    it('may have been printing for ever', async () => {
      const { output, ended } = await bench().run('yes', { timeoutMs: dose(250, 500), maxOutput: 1000 });
      expect(ended).toBe('timeout');
      expect(output.length).toBeLessThan(1100);
    });

    it('may have been starting others all the time', async () => {
      const seconds = ownSeconds();
      const command = `while :; do setsid sleep ${seconds} >/dev/null 2>&1 & sleep 0.02; done`;
      const { ended, leftRunning } = await bench().run(command, { timeoutMs: 500 });
      expect({ ended, leftRunning }).toEqual({ ended: 'timeout', leftRunning: false });
      expect(isRunning(`sleep ${seconds}`)).toBe(false);
    });

    it('is not begun after an abort', async () => {
      const { run, environment } = bench();
      expect((await run('touch begun', { signal: AbortSignal.abort() })).ended).toBe('interrupted');
      expect(await environment.stat('begun')).toBeUndefined();
    });
  });
}

async function stopDeafCommand({ run }: Bench): Promise<void> {
  const seconds = ownSeconds();
  const abort = new AbortController();
  const running = run(`trap '' TERM; sleep ${seconds}; sleep ${seconds}`, { signal: abort.signal });
  await untilRunning(`sleep ${seconds}`);
  abort.abort();
  expect(await running).toMatchObject({ ended: 'interrupted', leftRunning: false });
  expect(isRunning(`sleep ${seconds}`)).toBe(false);
}

/** The very first of an environment, which has no shell yet that it could start from. */
async function stopFirstCommand(bench: Bench): Promise<void> {
  const seconds = ownSeconds();
  const { run } = await bench.fresh();
  const abort = new AbortController();
  // Not even the sleep listens, so it outlives the asking and has lost its parent when all are killed.
  const running = run(`trap '' TERM; setsid --wait sleep ${seconds}; true`, { signal: abort.signal });
  await untilRunning(`sleep ${seconds}`);
  abort.abort();
  expect(await running).toMatchObject({ ended: 'interrupted', leftRunning: false });
  expect(isRunning(`sleep ${seconds}`)).toBe(false);
}

async function killDeafProcess({ environment }: Bench): Promise<void> {
  const [near, far] = [ownSeconds(), ownSeconds()];
  const command = `trap '' TERM; setsid sleep ${far} >/dev/null 2>&1 & sleep ${near}; sleep ${near}`;
  const process = await environment.start(command);
  for (const seconds of [near, far]) await untilRunning(`sleep ${seconds}`);
  expect(await process.kill()).toBe(true);
  expect([near, far].filter((seconds) => isRunning(`sleep ${seconds}`))).toEqual([]);
  expect((await process.ended).exitCode).toBeUndefined();
  expect(await process.kill()).toBe(true);
}
