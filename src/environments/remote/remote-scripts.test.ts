import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { KILL_SCRIPT, ORPHANS_SCRIPT, PROBE_SCRIPT } from './remote-scripts.ts';
import { PROCESS_TAG_VARIABLE, newProcessTag } from '../shell-script.ts';

/** The programs of a minimal image that the scripts may use; `ps` is missing. */
const PROGRAMS = ['awk', 'grep', 'mkdir', 'mktemp', 'rm', 'sleep', 'sort', 'tr', 'uname'];
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hermes-small-'));
  for (const program of PROGRAMS) {
    const place = spawnSync('/bin/sh', ['-c', `command -v ${program}`])
      .stdout.toString()
      .trim();
    symlinkSync(place, join(folder, program));
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const runScript = (script: string, ...parameters: string[]) =>
  spawnSync('/bin/sh', ['-c', script, 'sh', ...parameters], {
    env: { PATH: folder, LC_ALL: 'C', HOME: folder, TMPDIR: folder },
  });

it('lists and kills processes without ps', async () => {
  const mark = newProcessTag();
  const env = { PATH: process.env['PATH'], [PROCESS_TAG_VARIABLE]: mark };
  const child = spawn('sleep', ['4321.5'], { detached: true, stdio: 'ignore', env });
  const ended = new Promise((resolve) => child.once('exit', (_code, signal) => resolve(signal)));
  const pid = String(child.pid);
  expect(runScript(ORPHANS_SCRIPT, pid, mark, 'list').stdout.toString()).toMatch(
    new RegExp(`^${pid} \\S+ sleep 4321.5 ?\0$`),
  );
  expect(runScript(ORPHANS_SCRIPT, pid, mark, 'check').status).toBe(0);
  expect(runScript(KILL_SCRIPT, pid, mark).status).toBe(0);
  expect(await ended).toBe('SIGTERM');
  expect(runScript(ORPHANS_SCRIPT, pid, mark, 'check').status).not.toBe(0);
});

it('creates the initial directory if asked, and falls back to the home directory', () => {
  const begin = (...parameters: string[]) => {
    const { status, stdout } = runScript(PROBE_SCRIPT, ...parameters);
    return status === 0 ? stdout.toString().split('\0')[3] : status;
  };
  const missing = join(folder, 'not/there');
  expect(begin(missing, '')).toBe(3);
  expect(begin(missing, 'make')).toBe(missing);
  expect(begin(missing, '')).toBe(missing);
  // Not even root can create folders in `/proc`.
  expect(begin('/proc/none', 'make')).toBe(folder);
});
