import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import type { CommandOptions, Environment } from '../../contracts/index.ts';
import { processStartTime } from '../../util/index.ts';
import { childEnvironment } from '../child-environment.ts';
import { isRunning as hasProcess, uniqueSeconds, untilRunning } from '../conformance/bench.ts';
import { createLocalEnvironment } from '../index.ts';
import { createSpillFile } from '../output-collector.ts';
import { newProcessTag } from '../shell-script.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hermes-environment-'));
  local = createLocalEnvironment({ workingDirectory: folder });
});
afterAll(async () => {
  await local.close();
  await rm(folder, { recursive: true, force: true });
});

let local: Environment;
const environment = () => local;
function run(command: string, options: Partial<CommandOptions> = {}) {
  const { signal } = new AbortController();
  return environment().run(command, { timeoutMs: 20_000, signal, maxOutput: 10_000, ...options });
}

/** Whether a process is running; a zombie is not. */
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

/** Runs code in a separate Node process and returns what it prints, however it exits. */
async function runInProgram(code: string, more: Record<string, string> = {}): Promise<string> {
  const { execFile } = await import('node:child_process');
  const index = JSON.stringify(new URL('../index.ts', import.meta.url).href);
  const program = `import { createLocalEnvironment } from ${index};\n${code}`;
  return new Promise((resolve, reject) => {
    const env = { ...process.env, ...more };
    execFile(process.execPath, ['--input-type=module', '--eval', program], { env }, (error, stdout) =>
      stdout === '' ? reject(error ?? new Error('it printed nothing')) : resolve(stdout),
    );
  });
}

describe('a recorded command', () => {
  verifies('BOUND-4', 'is found by its tag after its shell has ended, and can be killed', async () => {
    const seconds = uniqueSeconds();
    const { record } = await environment().start(`sleep ${seconds} & wait`);
    await untilRunning(`sleep ${seconds}`);
    process.kill(record.pid, 'SIGKILL');
    await untilGone(record.pid);
    const found = await environment().findProcess(record);
    expect(await found?.isRunning()).toBe(true);
    expect(await found?.kill()).toBe(true);
    expect(hasProcess(`sleep ${seconds}`)).toBe(false);
    expect(await environment().findProcess(record)).toBeUndefined();
  });

  verifies('BOUND-4', 'is not confused with another process that has its pid', async () => {
    const seconds = uniqueSeconds();
    const other = spawn('sleep', [seconds], { detached: true, stdio: 'ignore' });
    onTestFinished(() => void other.kill('SIGKILL'));
    await untilRunning(`sleep ${seconds}`);
    const mark = newProcessTag();
    const pid = other.pid ?? 0;
    const earlier = processStartTime(pid).replace(/\d+$/, '1');
    expect(await environment().findProcess({ pid, startTime: earlier, mark })).toBeUndefined();
    expect(hasProcess(`sleep ${seconds}`)).toBe(true);
  });
});

describe('commands on the local machine', () => {
  it('kills a child that left the session and cleared its environment', async () => {
    const seconds = uniqueSeconds();
    const abort = new AbortController();
    const command = `trap '' TERM; setsid --wait env -i sleep ${seconds}; true`;
    const running = run(command, { signal: abort.signal });
    await untilRunning(`sleep ${seconds}`);
    abort.abort();
    expect(await running).toMatchObject({ ended: 'interrupted', leftRunning: false });
    expect(hasProcess(`sleep ${seconds}`)).toBe(false);
  });

  it('runs in the working directory or the given one', async () => {
    await mkdir(join(folder, 'inner'), { recursive: true });
    expect((await run('pwd')).output.trim()).toBe(await environment().resolvePath('.'));
    expect((await run('pwd', { workingDirectory: 'inner' })).output.trim()).toMatch(/inner$/);
  });

  it('removes escape sequences and keeps characters that are split between two writes', async () => {
    const { output } = await run(`printf '\\033[31mgr\\303'; printf '\\274n\\033[0'; printf 'm.'`);
    expect(output).toBe('grün.');
  });

  verifies('LOOP-7', 'kills all children before an interrupted command returns', async () => {
    const abort = new AbortController();
    const command = `(trap '' TERM; echo $BASHPID; sleep 300; sleep 300) & wait`;
    const onOutput = () => abort.abort();
    const { output, ended, leftRunning } = await run(command, { signal: abort.signal, onOutput });
    expect({ ended, leftRunning }).toEqual({ ended: 'interrupted', leftRunning: false });
    expect(await isRunning(Number(output))).toBe(false);
  });

  verifies('LOOP-7', 'kills the command when the process exits right after an interrupt', async () => {
    const command = `(trap '' TERM; echo $BASHPID; sleep 300; sleep 300) & wait`;
    // The shell exits after SIGTERM; its child must be found and killed.
    const output = await runInProgram(`
      const abort = new AbortController();
      const options = { timeoutMs: 60_000, signal: abort.signal, maxOutput: 100 };
      options.onOutput = (text) => { console.log(text); abort.abort(); setTimeout(() => process.exit(130), 300); };
      await createLocalEnvironment({ workingDirectory: '.' }).run(${JSON.stringify(command)}, options);`);
    expect(Number(output)).toBeGreaterThan(1);
    await untilGone(Number(output));
  });

  it('saves all of a long output to a file, and the beginning of one that exceeds the limit', async () => {
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

  it('does not wait for a background child that keeps the pipe open', async () => {
    const { output, exitCode } = await run('sleep 300 & echo $!');
    expect(exitCode).toBe(0);
    expect(await isRunning(Number(output))).toBe(true);
    process.kill(Number(output));
  });

  it('runs many commands in parallel without warnings', async () => {
    const warnings: Error[] = [];
    const listen = (warning: Error) => warnings.push(warning);
    process.on('warning', listen);
    const options = { timeoutMs: 20_000, signal: new AbortController().signal, maxOutput: 100 };
    const results = await Promise.all(Array.from({ length: 20 }, (_, index) => local.run(`echo ${index}`, options)));
    await new Promise(setImmediate);
    process.off('warning', listen);
    expect(results.map(({ output }) => Number(output))).toEqual(results.map((_, index) => index));
    expect(warnings).toEqual([]);
    expect(process.listenerCount('exit')).toBeLessThan(10);
  });

  it('kills the command when the process exits', async () => {
    const output = await runInProgram(`
      const options = { timeoutMs: 60_000, signal: new AbortController().signal, maxOutput: 100 };
      options.onOutput = (text) => { console.log(text); process.exit(0); };
      await createLocalEnvironment({ workingDirectory: '.' }).run('echo $$; sleep 300', options);`);
    await untilGone(Number(output));
  });

  it('starts in the working directory if the current directory was removed', async () => {
    await run('mkdir gone && cd gone && rmdir ../gone');
    expect((await run('pwd')).output.trim()).toBe(environment().workingDirectory);
  });

  it('stores the shell state in private files and removes them', async () => {
    const own = createLocalEnvironment({ workingDirectory: folder });
    const options = { timeoutMs: 20_000, signal: new AbortController().signal, maxOutput: 10_000 };
    await own.run('export HANDED_ON=1', options);
    const { output } = await own.run('trap', options);
    const [, state = ''] = /(\/\S*\/hermes-[^/]+)\/\d+/.exec(output) ?? [];
    expect((await stat(state)).mode & 0o777).toBe(0o700);
    await own.close();
    await expect(stat(state)).rejects.toThrow('ENOENT');
  });

  it.skipIf(!existsSync('/dev/shm'))('removes the folders of killed processes and nothing else', async () => {
    const printFolder = `await environment.run('export A=1', options);
      console.log(/(\\/\\S*\\/hermes-[^/]+)\\/\\d+/.exec((await environment.run('trap', options)).output)[1]);`;
    const begin = `const options = { timeoutMs: 20_000, signal: new AbortController().signal, maxOutput: 10_000 };
      const environment = createLocalEnvironment({ workingDirectory: '/' });`;
    const killed = (await runInProgram(`${begin}\n${printFolder}\nprocess.kill(process.pid, 'SIGKILL');`)).trim();
    const unmarked = await mkdtemp('/dev/shm/hermes-shell-');
    expect([killed, unmarked].map((path) => existsSync(path))).toEqual([true, true]);
    const own = createLocalEnvironment({ workingDirectory: folder });
    await own.run('export A=1', { timeoutMs: 20_000, signal: new AbortController().signal, maxOutput: 100 });
    await own.close();
    expect([killed, unmarked].map((path) => existsSync(path))).toEqual([false, true]);
    await rm(unmarked, { recursive: true });
  });

  it('fails with ENOENT if the directory is missing', async () => {
    await expect(run('true', { workingDirectory: 'nowhere' })).rejects.toThrow(/ENOENT/);
  });
});

describe('the environment variables of commands', () => {
  it('exclude secrets, by name or value, and shell start-up files', () => {
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

  it('include a secret that is configured to be passed on', () => {
    const source = { A_TOKEN: 'a', B_TOKEN: 'b', BASH_ENV: '/x' };
    expect(childEnvironment(source, ['B_TOKEN', 'BASH_ENV'])).toEqual({ B_TOKEN: 'b' });
  });

  it.skipIf(process.platform !== 'linux')('cannot be read from the parent process either', async () => {
    const value = 'a-value-that-nobody-may-see';
    const code = `
      const environment = createLocalEnvironment({ workingDirectory: '/' });
      const options = { timeoutMs: 10_000, signal: new AbortController().signal, maxOutput: 10_000 };
      const command = "tr '\\\\0' '\\\\n' </proc/$PPID/environ | grep -a ^OWN_; echo [$OWN_API_KEY]";
      const { output } = await environment.run(command, options);
      await environment.close();
      // The program itself still has it, and so do others that it starts with its variables.
      const { execFileSync } = await import('node:child_process');
      console.log(output, process.env.OWN_API_KEY, process.env.OWN_PLACE, execFileSync('printenv', ['OWN_API_KEY'])+'');
    `;
    const printed = await runInProgram(code, { OWN_PLACE: 'here', OWN_API_KEY: value, OWN_LAST: 'x' });
    const shown = `OWN_PLACE=here\nOWN_API_KEY=${'*'.repeat(value.length)}\nOWN_LAST=x\n[]\n`;
    expect(printed).toBe(`${shown} ${value} here ${value}\n\n`);
  });

  it('reach the command', async () => {
    const own = createLocalEnvironment({
      workingDirectory: folder,
      env: { PATH: process.env['PATH'], A_KEY: 'k', B: 'b' },
    });
    const options = { timeoutMs: 10_000, signal: new AbortController().signal, maxOutput: 100 };
    expect((await own.run('echo "[$A_KEY][$B]"', options)).output).toBe('[][b]\n');
    await own.close();
  });
});
