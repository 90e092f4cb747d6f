import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { COMMAND_SCRIPT, KILL_SCRIPT, ORPHANS_SCRIPT, PROBE_SCRIPT } from './remote-scripts.ts';
import { PROCESS_TAG_VARIABLE, newProcessTag, remoteScript } from '../shell-script.ts';

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

it('passes stdin, the directory and the process tag to a command in a shell other than bash', () => {
  const [first, second] = [join(folder, 'state-1'), join(folder, 'state-2')];
  const begin = (source: string | undefined, target: string, directory: string, command: string) => {
    const script = remoteScript({ bash: false, source, target }, command);
    const parameters = [`tag-of-${directory}`, directory, '/bin/sh', script, command, `${target}.d`];
    const rest = [source === undefined ? '' : '1', ''];
    return spawnSync('/bin/sh', ['-c', COMMAND_SCRIPT, 'sh', ...parameters, ...rest], {
      input: 'typed\n',
      cwd: folder,
    });
  };
  begin(undefined, first, '/usr', 'export KEPT=1');
  const { stdout } = begin(first, second, '/', `read -r line; echo "$line $KEPT $PWD $${PROCESS_TAG_VARIABLE}"`);
  expect(stdout.toString()).toBe('typed 1 / tag-of-/\n');
});
