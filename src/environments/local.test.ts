import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import type { CommandOptions } from '../contracts/index.ts';
import { childEnvironment } from './child-environment.ts';
import { createLocalEnvironment } from './index.ts';
import { createSpillFile } from './spill-file.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hermes-environment-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const environment = () => createLocalEnvironment({ workingDirectory: folder });
function run(command: string, options: Partial<CommandOptions> = {}) {
  const { signal } = new AbortController();
  return environment().run(command, { timeoutMs: 20_000, signal, maxOutput: 10_000, ...options });
}

/** Whether a process is there; one that ended and was not yet collected is not. */
async function isRunning(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
    const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') R');
    return !/\) [ZX]/.test(state);
  } catch {
    return false;
  }
}

async function untilGone(pid: number): Promise<void> {
  while (await isRunning(pid)) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** What a program of its own prints, however it ends. */
async function runInProgram(code: string): Promise<string> {
  const { execFile } = await import('node:child_process');
  const index = JSON.stringify(new URL('./index.ts', import.meta.url).href);
  const program = `import { createLocalEnvironment } from ${index};\n${code}`;
  return new Promise((resolve, reject) => {
    execFile(process.execPath, ['--input-type=module', '--eval', program], (error, stdout) =>
      stdout === '' ? reject(error ?? new Error('it printed nothing')) : resolve(stdout),
    );
  });
}

describe('commands on this machine', () => {
  it('give their output, both streams in order, and their exit code', async () => {
    const result = await run('echo one; echo two >&2; echo three; exit 3');
    expect(result).toMatchObject({ output: 'one\ntwo\nthree\n', omitted: 0, exitCode: 3, ended: 'exit' });
  });

  it('run in the working directory or the one they are given', async () => {
    await mkdir(join(folder, 'inner'), { recursive: true });
    expect((await run('pwd')).output.trim()).toBe(await environment().resolvePath('.'));
    expect((await run('pwd', { workingDirectory: 'inner' })).output.trim()).toMatch(/inner$/);
  });

  it('are read by the shell that the environment names', async () => {
    expect((await run('echo "$0"')).output.trim()).toBe(environment().shell);
  });

  it('have no input, and say what the shell says about a syntax error', async () => {
    expect((await run('cat')).output).toBe('');
    expect(await run('if then')).toMatchObject({ exitCode: 2, output: expect.stringContaining('syntax error') });
  });

  it('lose escape sequences and keep every character, also cut between two writes', async () => {
    const { output } = await run(`printf '\\033[31mgr\\303'; printf '\\274n\\033[0'; printf 'm.'`);
    expect(output).toBe('grün.');
  });

  it('may print more than memory should hold: beginning and end are kept', async () => {
    const { output, omitted } = await run('echo first; yes 0123456789 | head -c 3000000; echo last', {
      maxOutput: 1000,
    });
    expect(output.startsWith('first\n')).toBe(true);
    expect(output.endsWith('last\n')).toBe(true);
    expect(output).toContain(`${omitted} characters left out`);
    expect(output.length).toBeLessThan(1100);
    expect(omitted).toBe(3_000_000 + 6 + 5 - 1000);
  });

  it('tell what they print while they run', async () => {
    const pieces: string[] = [];
    await run('echo a; echo b', { onOutput: (text) => pieces.push(text) });
    expect(pieces.join('')).toBe('a\nb\n');
  });

  it('end with everything they started when their time is over', async () => {
    const { output, ended } = await run('sleep 300 & echo $!; wait', { timeoutMs: 300 });
    expect(ended).toBe('timeout');
    await untilGone(Number(output));
  });

  it('end on an abort, even if they ignore SIGTERM', async () => {
    const abort = new AbortController();
    const command = `trap '' TERM; echo $$; sleep 300; sleep 300`;
    const onOutput = () => abort.abort();
    const { output, ended } = await run(command, { signal: abort.signal, onOutput });
    expect(ended).toBe('interrupted');
    await untilGone(Number(output));
  });

  verifies('LOOP-7', 'are over with all their children before an interrupted one answers', async () => {
    const abort = new AbortController();
    const command = `(trap '' TERM; echo $BASHPID; sleep 300; sleep 300) & wait`;
    const onOutput = () => abort.abort();
    const { output, ended, leftRunning } = await run(command, { signal: abort.signal, onOutput });
    expect({ ended, leftRunning }).toEqual({ ended: 'interrupted', leftRunning: false });
    expect(await isRunning(Number(output))).toBe(false);
  });

  verifies('LOOP-7', 'do not outlive a program that is interrupted and leaves at once', async () => {
    const command = `(trap '' TERM; echo $BASHPID; sleep 300; sleep 300) & wait`;
    // The shell is gone after its SIGTERM; its child is what has to be found again.
    const output = await runInProgram(`
      const abort = new AbortController();
      const options = { timeoutMs: 60_000, signal: abort.signal, maxOutput: 100 };
      options.onOutput = (text) => { console.log(text); abort.abort(); setTimeout(() => process.exit(130), 300); };
      await createLocalEnvironment({ workingDirectory: '.' }).run(${JSON.stringify(command)}, options);`);
    expect(Number(output)).toBeGreaterThan(1);
    await untilGone(Number(output));
  });

  it('keep all of a long output in a file, and of one without end its beginning', async () => {
    const spillFile = join(folder, 'spill/a.txt');
    expect((await run('seq 1 3000', { maxOutput: 1000, spillFile })).spilled).toBe('whole');
    expect((await readFile(spillFile, 'utf8')).split('\n')).toHaveLength(3001);
    expect((await run('seq 1 3000', { maxOutput: 1000, spillFile: '/dev/null/nowhere' })).spilled).toBeUndefined();
    expect((await run('seq 1 3', { spillFile: join(folder, 'spill/b.txt') })).spilled).toBeUndefined();
    const bounded = createSpillFile(join(folder, 'spill/c.txt'), 4, 10);
    for (const text of ['123', '456', '789', 'abc', 'def']) bounded.push(text);
    expect(bounded.finish()).toBe('beginning');
    expect(await readFile(join(folder, 'spill/c.txt'), 'utf8')).toBe('123456789a');
    expect(await readdir(join(folder, 'spill'))).toEqual(['a.txt', 'c.txt']);
  });

  it('are not begun after an abort', async () => {
    const result = await run('touch begun', { signal: AbortSignal.abort() });
    expect(result.ended).toBe('interrupted');
    expect(await readdir(folder)).not.toContain('begun');
  });

  it('name the signal that ended them', async () => {
    expect(await run('kill -SEGV $$')).toMatchObject({ ended: 'signal', signalName: 'SIGSEGV', exitCode: undefined });
  });

  it('are not held up by a background child that keeps the pipe open', async () => {
    const { output, exitCode } = await run('sleep 300 & echo $!');
    expect(exitCode).toBe(0);
    expect(await isRunning(Number(output))).toBe(true);
    process.kill(Number(output));
  });

  it('run many at once without a word of warning', async () => {
    const warnings: Error[] = [];
    const listen = (warning: Error) => warnings.push(warning);
    process.on('warning', listen);
    const local = environment();
    const options = { timeoutMs: 20_000, signal: new AbortController().signal, maxOutput: 100 };
    const results = await Promise.all(Array.from({ length: 20 }, (_, index) => local.run(`echo ${index}`, options)));
    await new Promise(setImmediate);
    process.off('warning', listen);
    expect(results.map(({ output }) => Number(output))).toEqual(results.map((_, index) => index));
    expect(warnings).toEqual([]);
    expect(process.listenerCount('exit')).toBeLessThan(10);
  });

  it('do not outlive a program that just leaves', async () => {
    const output = await runInProgram(`
      const options = { timeoutMs: 60_000, signal: new AbortController().signal, maxOutput: 100 };
      options.onOutput = (text) => { console.log(text); process.exit(0); };
      await createLocalEnvironment({ workingDirectory: '.' }).run('echo $$; sleep 300', options);`);
    await untilGone(Number(output));
  });

  it('fail clearly where the directory is missing', async () => {
    await expect(run('true', { workingDirectory: 'nowhere' })).rejects.toThrow(/ENOENT/);
  });
});

describe('the environment of commands', () => {
  it('has no secrets, by name or by look, and no shell start-up files', () => {
    const kept = childEnvironment({
      PATH: '/bin',
      OPENAI_API_KEY: 'x',
      ANTHROPIC_TOKEN: 'x',
      DB_PASSWORD: 'x',
      MY_SECRET: 'x',
      GOOGLE_APPLICATION_CREDENTIALS: 'x',
      HARMLESS_LOOKING: 'sk-abcdefghijklmnopqrstuvwxyz',
      DEPLOY: `glpat-${'x'.repeat(20)}`,
      SHOP: `sk_live_${'x'.repeat(24)}`,
      BASH_ENV: '/x',
      SSH_AUTH_SOCK: '/run/agent',
      TOKENIZERS_PARALLELISM: 'false',
      MISSING: undefined,
    });
    expect(Object.keys(kept).sort()).toEqual(['PATH', 'SSH_AUTH_SOCK', 'TOKENIZERS_PARALLELISM']);
  });

  it('reaches the command', async () => {
    const own = createLocalEnvironment({
      workingDirectory: folder,
      env: { PATH: process.env['PATH'], A_KEY: 'k', B: 'b' },
    });
    const options = { timeoutMs: 10_000, signal: new AbortController().signal, maxOutput: 100 };
    expect((await own.run('echo "[$A_KEY][$B]"', options)).output).toBe('[][b]\n');
  });
});

describe('files on this machine', () => {
  it('are replaced in one step, with folders made and the mode kept', async () => {
    await environment().writeFile('deep/er/file.sh', 'one');
    await chmod(join(folder, 'deep/er/file.sh'), 0o755);
    await environment().writeFile('deep/er/file.sh', 'two');
    expect((await stat(join(folder, 'deep/er/file.sh'))).mode & 0o777).toBe(0o755);
    expect(await readFile(join(folder, 'deep/er/file.sh'), 'utf8')).toBe('two');
    expect(await readdir(join(folder, 'deep/er'))).toEqual(['file.sh']);
  });

  it('are written through links, also to a target that is not there yet', async () => {
    await writeFile(join(folder, 'real.txt'), 'old');
    await symlink('real.txt', join(folder, 'link.txt'));
    await symlink('later.txt', join(folder, 'dangling.txt'));
    await environment().writeFile('link.txt', 'new');
    await environment().writeFile('dangling.txt', 'made');
    expect(await readFile(join(folder, 'real.txt'), 'utf8')).toBe('new');
    expect(await readFile(join(folder, 'later.txt'), 'utf8')).toBe('made');
    expect(await environment().resolvePath('dangling.txt')).toBe(await environment().resolvePath('later.txt'));
  });

  it('are removed, links without what they point to', async () => {
    await writeFile(join(folder, 'stays.txt'), 'x');
    await symlink('stays.txt', join(folder, 'goes.txt'));
    await environment().removeFile('goes.txt');
    expect(await readdir(folder)).toContain('stays.txt');
    expect(await readdir(folder)).not.toContain('goes.txt');
    await expect(environment().removeFile('goes.txt')).rejects.toThrow(/ENOENT/);
  });

  it('are described and listed', async () => {
    await mkdir(join(folder, 'listed/sub'), { recursive: true });
    await writeFile(join(folder, 'listed/a.txt'), 'abc');
    expect(await environment().stat('listed/a.txt')).toMatchObject({ kind: 'file', size: 3 });
    expect(await environment().stat('/dev/null')).toMatchObject({ kind: 'other' });
    expect(await environment().stat('listed/none')).toBeUndefined();
    expect(await environment().stat('listed/a.txt/none')).toBeUndefined();
    expect((await environment().list('listed')).sort((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
      { name: 'a.txt', kind: 'file' },
      { name: 'sub', kind: 'directory' },
    ]);
  });

  it('have paths that follow links as far as they exist', async () => {
    await mkdir(join(folder, 'target'), { recursive: true });
    await symlink('target', join(folder, 'way'));
    const root = await environment().resolvePath('.');
    expect(await environment().resolvePath('way/not/yet.txt')).toBe(join(root, 'target/not/yet.txt'));
    await symlink('loop-b', join(folder, 'loop-a'));
    await symlink('loop-a', join(folder, 'loop-b'));
    await expect(environment().resolvePath('loop-a')).rejects.toThrow(/ELOOP|symbolic links/);
  });
});
