import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runHermes } from '../../src/testing/index.ts';
import { useCliFixture } from '../support/cli-fixture.ts';
import { startTerminal } from '../support/terminal.ts';

const fixture = useCliFixture();
const ROOT = join(import.meta.dirname, '../..');
/** In the home, as it is without the variable, which tests share a folder by. */
const OWN_CACHE = { NODE_COMPILE_CACHE: '' };

const hermes = async (...args: string[]) => {
  const { exitCode, stdout, stderr } = await runHermes(args, { home: fixture.home, env: OWN_CACHE });
  expect([exitCode, stderr]).toEqual([0, '']);
  return stdout;
};

async function answered(): Promise<void> {
  fixture.server.setScript([{ text: 'hello' }]);
  expect(await hermes('-z', 'hi')).toBe('hello\n');
}

/** The file that is kept of a group, with what stands before the code in it. */
async function keptOf(group: string) {
  const folder = join(fixture.home.path, 'cache/compile');
  const [version = ''] = await readdir(folder);
  const names = await readdir(join(folder, version));
  const name = names.find((each) => each.startsWith(`hermes-${group}-`));
  if (name === undefined) return undefined;
  const path = join(folder, version, name);
  const bytes = await readFile(path);
  return { path, bytes, id: bytes.toString('latin1', 0, 16), state: bytes.toString('latin1', 16, 24).trim() };
}

describe('the compiled code of a chat', () => {
  it('is kept for good after a turn, and for the time being after another command', async () => {
    await fixture.configure();
    await hermes('sessions', 'list');
    const begun = await keptOf('run');
    expect(begun?.state).toBe('begun');
    expect((await keptOf('commands'))?.state).toBe('begun');
    await answered();
    const whole = await keptOf('run');
    expect([whole?.state, whole?.id]).toEqual(['whole', begun?.id]);
    expect(whole?.bytes.length).toBeGreaterThan(begun?.bytes.length ?? 0);
    expect((await stat(whole?.path ?? '')).mode & 0o777).toBe(0o600);
    await answered();
    await hermes('sessions', 'list');
    expect((await keptOf('run'))?.bytes.equals(whole?.bytes ?? Buffer.of())).toBe(true);
  });

  it('is kept for good after a turn of a chat in a terminal', async () => {
    await fixture.configure();
    fixture.server.setScript([{ text: 'hello' }]);
    const chat = startTerminal(fixture.home, ['hi']);
    await chat.see('hello');
    await chat.see('❯ ');
    chat.type('/quit\r');
    await chat.exited;
    for (const group of ['run', 'terminal']) expect([group, (await keptOf(group))?.state]).toEqual([group, 'whole']);
  });

  it('stays as it is where a process ends that began before it was kept', async () => {
    await fixture.configure();
    const chat = startTerminal(fixture.home, []);
    await chat.see('❯ ');
    await answered();
    chat.type('/quit\r');
    await chat.exited;
    expect((await keptOf('run'))?.state).toBe('whole');
  });

  it('is not kept for good after a turn that failed', async () => {
    await fixture.configure();
    fixture.server.setScript([{ fault: { type: 'status', status: 401 } }]);
    expect((await runHermes(['-z', 'hi'], { home: fixture.home, env: OWN_CACHE })).exitCode).not.toBe(0);
    expect((await keptOf('run'))?.state).toBe('begun');
  });

  it('is made anew where it is damaged, cut off, empty or of another version', async () => {
    await fixture.configure();
    await answered();
    const kept = await keptOf('run');
    if (kept === undefined) throw new Error('nothing was kept');
    const { path, bytes, id } = kept;
    const flipped = Buffer.from(bytes);
    flipped.writeUInt8(flipped.readUInt8(5_000) ^ 0xff, 5_000);
    const other = Buffer.from(bytes);
    other.write('0123456789abcdef');
    for (const damaged of [flipped, bytes.subarray(0, 100_000), Buffer.of(), Buffer.alloc(bytes.length), other]) {
      await writeFile(path, damaged);
      await answered();
      const anew = await keptOf('run');
      expect(anew).toMatchObject({ id, state: 'whole' });
      // Damaged code may well run, so what tells is that it was not left there.
      expect(anew?.bytes.equals(damaged)).toBe(false);
    }
  });

  it('is never mixed with that of another version: files that do not belong together are told of', async () => {
    const copy = join(fixture.home.path, 'program');
    await mkdir(copy);
    for (const name of ['bin', 'dist', 'package.json'])
      await cp(join(ROOT, name), join(copy, name), { recursive: true });
    const code = join(copy, 'dist/run-code.js');
    const env = { PATH: process.env['PATH'], HERMES_HOME: fixture.home.path };
    const start = () =>
      new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) =>
        execFile(process.execPath, [join(copy, 'bin/hermes.js'), '--json', 'hi'], { env }, (error, stdout, stderr) =>
          resolve({ code: error?.code, stdout, stderr }),
        ),
      );
    for (const change of [() => writeFile(code, '"use strict";(function(){return{}})'), () => rm(code)]) {
      await change();
      const { stdout, ...run } = await start();
      const message = `hermes could not start: ${code} is missing or of another version; if one is being installed wait, else install it again`;
      expect(run).toEqual({ code: 1, stderr: `${message}\n` });
      expect(JSON.parse(stdout)).toMatchObject({ type: 'result', exit_code: 1, error: { message } });
    }
  });
});
