import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runHermes } from '../../src/testing/index.ts';
import { lastLine, useCliFixture } from '../support/cli-fixture.ts';
import { startTerminal } from '../support/terminal.ts';
import { fullDoseOnly } from '../support/dose.ts';

const fixture = useCliFixture();
const ROOT = join(import.meta.dirname, '../..');
/** All other tests share one compile cache; here each home has its own. */
const { NODE_COMPILE_CACHE: shared } = process.env;
beforeEach(() => {
  delete process.env['NODE_COMPILE_CACHE'];
});
afterEach(() => {
  process.env['NODE_COMPILE_CACHE'] = shared;
});

const hermes = async (...args: string[]) => run(args);

async function run(args: string[], script?: string): Promise<string> {
  const options = { home: fixture.home, ...(script !== undefined && { script }) };
  const { exitCode, stdout, stderr } = await runHermes(args, options);
  expect([exitCode, stderr]).toEqual([0, '']);
  return stdout;
}

/** A copy of the program whose files can be changed; its compile cache is empty until it has run. */
async function copyProgram(): Promise<{ script: string; dist: string }> {
  const copy = join(fixture.home.path, 'program');
  await mkdir(copy);
  for (const each of ['bin', 'dist', 'package.json']) await cp(join(ROOT, each), join(copy, each), { recursive: true });
  return { script: join(copy, 'bin/hermes.js'), dist: join(copy, 'dist') };
}

/** The cache file of a group that the build saved. */
const bundled = (dist: string, group: string) =>
  join(dist, 'compile-cache', `${process.version}-${process.platform}-${process.arch}`, group);

async function answered(script?: string): Promise<void> {
  fixture.server.setScript([{ text: 'hello' }]);
  expect(await run(['-z', 'hi'], script)).toBe('hello\n');
}

/** The cache file of a group in the home directory, with its header. */
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

describe('the compile cache of a chat', () => {
  it('is saved permanently after a turn, and temporarily after another command', fullDoseOnly, async () => {
    await fixture.configure();
    const { script, dist } = await copyProgram();
    await rm(join(dist, 'compile-cache'), { recursive: true });
    await run(['sessions', 'list'], script);
    const begun = await keptOf('run');
    expect(begun?.state).toBe('begun');
    expect((await keptOf('commands'))?.state).toBe('begun');
    await answered(script);
    const whole = await keptOf('run');
    expect([whole?.state, whole?.id]).toEqual(['whole', begun?.id]);
    expect(whole?.bytes.length).toBeGreaterThan(begun?.bytes.length ?? 0);
    expect((await stat(whole?.path ?? '')).mode & 0o777).toBe(0o600);
    await answered(script);
    await run(['sessions', 'list'], script);
    expect((await keptOf('run'))?.bytes.equals(whole?.bytes ?? Buffer.of())).toBe(true);
  });

  it('is saved permanently after a turn of a chat in a terminal', async () => {
    await fixture.configure();
    fixture.server.setScript([{ text: 'hello' }]);
    const chat = startTerminal(fixture.home, ['chat', 'hi']);
    await chat.see('hello');
    await chat.see('❯ ');
    chat.type('/quit\r');
    await chat.exited;
    for (const group of ['run', 'terminal']) expect([group, (await keptOf(group))?.state]).toEqual([group, 'whole']);
  });

  it('grows with the first command, and not again after that', fullDoseOnly, async () => {
    await fixture.configure();
    await answered();
    const first = await keptOf('run');
    const withCommand = async () => {
      const command = { name: 'terminal', arguments: { command: 'echo there' } };
      fixture.server.setScript([{ toolCalls: [command] }, { text: 'done' }]);
      expect(await hermes('-z', 'go')).toBe('done\n');
      return keptOf('run');
    };
    const second = await withCommand();
    expect(second?.bytes.length).toBeGreaterThan(first?.bytes.length ?? 0);
    expect((await keptOf('turn'))?.state).toBe('whole');
    expect((await withCommand())?.bytes.equals(second?.bytes ?? Buffer.of())).toBe(true);
  });

  it('is not changed by a process that started before it was saved', fullDoseOnly, async () => {
    await fixture.configure();
    const chat = startTerminal(fixture.home, []);
    await chat.see('❯ ');
    await answered();
    chat.type('/quit\r');
    await chat.exited;
    expect((await keptOf('run'))?.state).toBe('whole');
  });

  it('is not saved permanently after a failed turn', async () => {
    await fixture.configure();
    fixture.server.setScript([{ fault: { type: 'status', status: 401 } }]);
    expect((await runHermes(['-z', 'hi'], { home: fixture.home })).exitCode).not.toBe(0);
    expect((await keptOf('run'))?.state).not.toBe('whole');
  });

  it('is replaced if it is damaged, truncated, empty or of another version', fullDoseOnly, async () => {
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
      const rebuilt = await keptOf('run');
      expect(rebuilt).toMatchObject({ id, state: 'whole' });
      // Damaged code may still run, so the test checks that the file was replaced.
      expect(rebuilt?.bytes.equals(damaged)).toBe(false);
    }
  });

  it('is saved in the middle of a long turn, before V8 discards the startup code', fullDoseOnly, async () => {
    await fixture.configure();
    const command = `head -qc 24 '${fixture.home.path}'/cache/compile/*/hermes-run-*`;
    const terminal = { toolCalls: [{ name: 'terminal', arguments: { command } }] };
    for (const [uptime, state] of [
      [1, 'No such file'],
      [100, 'whole'],
    ] as const) {
      await rm(join(fixture.home.path, 'cache'), { recursive: true, force: true });
      fixture.server.setScript([terminal, terminal, { text: 'done' }]);
      const env = { NODE_OPTIONS: `--import data:text/javascript,process.uptime=()=>${uptime}` };
      const { exitCode, stdout } = await runHermes(['--yolo', '-z', 'hi'], { home: fixture.home, env });
      expect([exitCode, stdout]).toEqual([0, 'done\n']);
      const results = fixture.server.requests.at(-1)?.toolResults.map(({ content }) => content) ?? [];
      expect(results[0]).toContain('No such file');
      expect(results[1]).toContain(state);
    }
  });

  it('removes entries of other installations after a month', fullDoseOnly, async () => {
    await fixture.configure();
    await hermes('sessions', 'list');
    const folder = dirname((await keptOf('commands'))?.path ?? '');
    const monthAgo = Date.now() / 1000 - 31 * 24 * 60 * 60;
    for (const name of ['hermes-run-gone', 'hermes-run-gone.4711', 'hermes-run-used', 'other']) {
      await writeFile(join(folder, name), '');
      if (name !== 'hermes-run-used') await utimes(join(folder, name), monthAgo, monthAgo);
    }
    await answered();
    const names = await readdir(folder);
    expect(names.filter((name) => /gone|used|other/.test(name))).toEqual(['hermes-run-used', 'other']);
    const own = (await keptOf('run'))?.path ?? '';
    await utimes(own, monthAgo, monthAgo);
    fixture.server.setScript([{ toolCalls: [{ name: 'terminal', arguments: { command: 'true' } }] }, { text: 'done' }]);
    await hermes('--yolo', '-z', 'hi');
    expect((await keptOf('turn'))?.state).toBe('whole');
    expect((await keptOf('run'))?.path).toBe(own);
  });

  it('causes no error if it cannot be saved, even if its folder is removed during the turn', fullDoseOnly, async () => {
    await fixture.configure();
    const cache = join(fixture.home.path, 'cache');
    const command = `rm -r '${cache}'; touch '${cache}'`;
    fixture.server.setScript([{ toolCalls: [{ name: 'terminal', arguments: { command } }] }, { text: 'gone' }]);
    expect(await hermes('--yolo', '-z', 'hi')).toBe('gone\n');
    await answered();
  });
});

// The build saves a cache for its own Node version, and these tests may run on another.
const hasBundledCache = existsSync(bundled(join(ROOT, 'dist'), 'run'));

describe.skipIf(!hasBundledCache)('the compile cache of the build', () => {
  it('is used by a first start, which saves nothing until a turn was answered', async () => {
    await fixture.configure();
    await hermes('sessions', 'list');
    expect(await keptOf('run')).toBeUndefined();
    expect((await keptOf('commands'))?.state).toBe('begun');
    await answered();
    expect((await keptOf('run'))?.state).toBe('whole');
  });

  it('covers the code for a request and a command, and every user can read it', async () => {
    for (const group of ['run', 'turn']) {
      const file = bundled(join(ROOT, 'dist'), group);
      expect((await readFile(file)).toString('latin1', 16, 24)).toBe('whole   ');
      expect((await stat(file)).mode & 0o444).toBe(0o444);
    }
  });

  it('is ignored if it is damaged or of another version of the program', fullDoseOnly, async () => {
    await fixture.configure();
    const { script, dist } = await copyProgram();
    const file = bundled(dist, 'run');
    const bytes = await readFile(file);
    const flipped = Buffer.from(bytes);
    flipped.writeUInt8(flipped.readUInt8(5_000) ^ 0xff, 5_000);
    const other = Buffer.from(bytes);
    other.write('0123456789abcdef');
    for (const damaged of [flipped, bytes.subarray(0, 100_000), Buffer.of(), other]) {
      await writeFile(file, damaged);
      await rm(join(fixture.home.path, 'cache'), { recursive: true, force: true });
      await run(['sessions', 'list'], script);
      // The cache is saved only after a start that could not use one.
      expect((await keptOf('run'))?.state).toBe('begun');
    }
  });

  it('is ignored if compile caches are disabled', fullDoseOnly, async () => {
    await fixture.configure();
    const { script, dist } = await copyProgram();
    const wasRead = `
      const { openSync } = require('node:fs');
      require('node:fs').openSync = (file, ...rest) => {
        if (String(file).includes('/compile-cache/')) process.stderr.write('read');
        return openSync(file, ...rest);
      };`;
    const probe = join(dist, 'probe.cjs');
    await writeFile(probe, wasRead);
    const stderrWith = async (env: Record<string, string>) => {
      const NODE_OPTIONS = `--require ${probe}`;
      return (await runHermes(['sessions', 'list'], { home: fixture.home, script, env: { ...env, NODE_OPTIONS } }))
        .stderr;
    };
    expect(await stderrWith({})).toContain('read');
    expect(await stderrWith({ NODE_DISABLE_COMPILE_CACHE: '1' })).toBe('');
  });
});

describe('a program with inconsistent files', () => {
  /** Runs a copy of the program with one file changed. */
  async function runChanged(name: string, change: (text: string) => string | undefined, ...args: string[]) {
    const { script, dist } = await copyProgram();
    const file = join(dist, name);
    const changed = change(await readFile(file, 'latin1'));
    await (changed === undefined ? rm(file) : writeFile(file, changed, 'latin1'));
    return new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
      const env = { PATH: process.env['PATH'], HERMES_HOME: fixture.home.path };
      execFile(process.execPath, [script, ...args], { env }, (error, stdout, stderr) =>
        resolve({ code: error?.code, stdout, stderr }),
      );
    });
  }

  it.each([
    ['of another version', (text: string) => text.replace(/.{16}$/, '0123456789abcdef')],
    ['cut off', (text: string) => text.slice(0, 100_000)],
    ['missing', () => undefined],
  ])('reports that the code is %s, and what to do', async (_, change) => {
    const changed = await runChanged('run-code.js', change, 'status', '--json');
    expect(changed.stderr).toMatch(
      /^hermes could not start: \S+run-code\.js is missing, truncated or of another version\n/,
    );
    expect(changed.stderr).toContain('reinstall it');
    expect(changed.code).toBe(1);
    const message = expect.stringContaining('could not start');
    const error = { message, hint: expect.stringContaining('Start it again') };
    expect(lastLine(changed.stdout)).toMatchObject({ type: 'result', exit_reason: 'failed', exit_code: 1, error });
  });

  it('reports that only one part has lost its code', fullDoseOnly, async () => {
    const names = await readdir(join(ROOT, 'dist'));
    const code = names.find((name) => /^part-commands-.*-code\.js$/.test(name)) ?? '';
    const changed = await runChanged(code, () => undefined, 'status');
    expect(changed.stderr).toContain('a part of hermes is missing');
    expect(changed.code).toBe(1);
  });
});
