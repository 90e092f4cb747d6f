import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, openSync, closeSync, fstatSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { scaledRuns } from '../../../test/support/dose.ts';
import {
  locateOpenFile,
  memoryFolder,
  processScope,
  processStartTime,
  readProcesses,
  sandboxProgram,
} from './index.ts';
import { parsePsOutput } from './ps.ts';

const TAG = 'HERMES_CALL=tag-of-this-test';

/** Starts a program that waits, in its own process group. */
async function startWaiting(script: string, file = '/bin/sh'): Promise<ChildProcess & { pid: number }> {
  const [variable = '', value] = TAG.split('=');
  const env = { PATH: process.env['PATH'], [variable]: value };
  const child = spawn(file, ['-c', script], { detached: true, env, stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  return child as ChildProcess & { pid: number };
}

describe.each([
  ['with /proc', ''],
  ['with ps', '1'],
])('processes %s', (_, portable) => {
  beforeEach(() => void vi.stubEnv('HERMES_PORTABLE', portable));
  afterEach(() => void vi.unstubAllEnvs());

  it('are listed with parent, group, tag and command line', async () => {
    const { pid } = await startWaiting('echo; exec sleep 4321.5');
    // The shell writes before it becomes the program.
    await vi.waitUntil(() => readProcesses()?.commandLine(pid).startsWith('sleep'), { timeout: 45_000 });
    const list = readProcesses();
    const { session, ...entry } = list?.entries.find((one) => one.pid === pid) ?? {};
    expect(entry).toEqual({ pid, parent: process.pid, group: pid, name: 'sleep' });
    expect(session).toBe(portable === '1' ? undefined : pid);
    expect([list?.hasTag(pid, TAG), list?.hasTag(pid, 'another-tag')]).toEqual([true, false]);
    expect(list?.commandLine(pid)).toBe('sleep 4321.5');
  });

  it('may ignore SIGHUP', async () => {
    const [plain, ignoring] = [
      await startWaiting('echo; exec sleep 4321.6'),
      await startWaiting("trap '' HUP; echo; exec sleep 4321.7"),
    ];
    const list = readProcesses();
    expect([plain, ignoring].map(({ pid }) => list?.ignoresHangup(pid))).toEqual([false, true]);
  });

  it('are listed whatever the name of their program is', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hermes-names-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'a (b) 1 2\n3 4 5 Z');
    copyFileSync('/bin/sh', file);
    const { pid } = await startWaiting('echo; while :; do sleep 1; done', file);
    const list = readProcesses();
    expect(list?.entries.find((one) => one.pid === pid)).toMatchObject({ parent: process.pid, group: pid });
    expect(list?.hasTag(pid, TAG)).toBe(true);
  });

  it('are not listed after they have ended, even before their parent knows that', async () => {
    const { pid } = await startWaiting('echo; sleep 0.001 & exec sleep 4321.8');
    const ended = () => readProcesses()?.entries.filter((one) => one.parent === pid);
    await vi.waitFor(() => expect(ended()).toEqual([]), { timeout: 45_000 });
    expect(readProcesses()?.entries.map((one) => one.pid)).toContain(pid);
  });

  it('have a start time that every process sees alike, and none after their end', async () => {
    const index = JSON.stringify(new URL('./index.ts', import.meta.url).href);
    const code = `import { processStartTime } from ${index}; console.log(processStartTime(process.ppid))`;
    const other = spawn(process.execPath, ['--input-type=module', '--eval', code], {
      env: { ...process.env, TZ: 'Asia/Tokyo', LC_ALL: 'de_DE.UTF-8' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [seen] = (await once(other.stdout, 'data')) as [Buffer];
    expect(processStartTime(process.pid)).toMatch(/^\S{8,}$/);
    expect(String(seen).trim()).toBe(processStartTime(process.pid));
    const child = await startWaiting('echo; exec sleep 4321.9');
    expect(processStartTime(child.pid)).not.toBe('');
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    expect(processStartTime(child.pid)).toBe('');
  });

  it('have a scope', () => {
    expect(processScope()).toMatch(/\S/);
    expect(processScope()).toBe(processScope());
  });
});

describe('without the facilities of Linux', () => {
  beforeEach(() => void vi.stubEnv('HERMES_PORTABLE', '1'));
  afterEach(() => void vi.unstubAllEnvs());

  it('there is no folder in memory, no sandbox, and no path of an open file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'hermes-open-'));
    const [first, second] = [join(folder, 'a'), join(folder, 'b')];
    writeFileSync(first, '');
    const opened = openSync(first, 'r');
    renameSync(first, second);
    try {
      expect([memoryFolder(), sandboxProgram(), locateOpenFile(fstatSync(opened))]).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
      vi.stubEnv('HERMES_PORTABLE', '');
      expect(locateOpenFile(fstatSync(opened))).toEqual({ movedTo: second });
      rmSync(second);
      expect(locateOpenFile(fstatSync(opened))).toBe('deleted');
    } finally {
      closeSync(opened);
      rmSync(folder, { recursive: true });
    }
  });
});

describe('the output of ps', () => {
  // Written from the manual page: macOS hides the environment of its own programs.
  const MACOS = [
    '    1     0     1 Ss   /sbin/launchd',
    '  501     1   501 S    /opt/homebrew/bin/node server.js PATH=/usr/bin HERMES_CALL=abc',
    '  502   501   501 S+   /bin/sleep 10',
    '  503   501   501 Z    (sleep)',
  ].join('\n');

  it('is read in the form of macOS, where some environments are hidden', () => {
    const list = parsePsOutput(MACOS, false);
    expect(list.entries.map(({ pid, parent, group, name }) => [pid, parent, group, name])).toEqual([
      [1, 0, 1, 'launchd'],
      [501, 1, 501, 'node'],
      [502, 501, 501, 'sleep'],
    ]);
    expect([501, 502].map((pid) => list.hasTag(pid, 'abc'))).toEqual([true, undefined]);
    expect([501, 502].map((pid) => list.hasTag(pid, 'other'))).toEqual([false, undefined]);
    expect(list.ignoresHangup(501)).toBe(false);
  });

  it('may contain anything', () => {
    const property = fc.property(fc.string({ unit: 'binary' }), fc.boolean(), (text, hasMask) => {
      const lines = `${MACOS}\n${text}\n`;
      const list = parsePsOutput(lines, hasMask);
      const numbers = list.entries.flatMap(({ pid, parent, group }) => [pid, parent, group]);
      return numbers.every(Number.isInteger) && [1, 501, 502].every((pid) => numbers.includes(pid));
    });
    fc.assert(property, { numRuns: scaledRuns(500) });
  });
});
