import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type HermesOptions, runHermes, startHermes } from './hermes-process.ts';
import { createTemporaryHome, type TemporaryHome } from './temporary-home.ts';

/** Replaces the command: these tests are about how it is run. */
async function replaceCommand(home: TemporaryHome, source: string): Promise<HermesOptions> {
  const script = join(home.userHome, 'replacement.mjs');
  await writeFile(script, source);
  return { home, script };
}

const ECHO = `
process.stdin.setEncoding('utf8');
let lines = 0;
process.stdout.write('ready> ');
process.stdin.on('data', (text) => {
  lines += 1;
  process.stdout.write('line ' + lines + ': ' + text.trim() + '\\nready> ');
});
`;

describe('runHermes', () => {
  it('returns the output and the exit code of the process', async () => {
    await using home = await createTemporaryHome();
    const options = await replaceCommand(
      home,
      `let all = ''; for await (const part of process.stdin) all += part;
       console.log(process.argv.slice(2).join('|') + '|' + all); console.error('oops'); process.exitCode = 3;`,
    );
    const result = await runHermes(['-z', 'a b'], { ...options, input: 'typed' });
    expect(result).toMatchObject({ exitCode: 3, signal: null, stdout: '-z|a b|typed\n', stderr: 'oops\n' });
  });

  it('runs it with empty stdin and a clean environment', async () => {
    await using home = await createTemporaryHome();
    const options = await replaceCommand(
      home,
      `for await (const part of process.stdin) throw new Error(part);
       console.log(JSON.stringify({ env: process.env, cwd: process.cwd() }));`,
    );
    const { stdout } = await runHermes([], { ...options, env: { EXTRA: 'yes' } });
    const { env, cwd } = JSON.parse(stdout) as { env: Record<string, string>; cwd: string };
    expect(env).toMatchObject({
      HOME: home.userHome,
      HERMES_HOME: home.path,
      TERM: 'dumb',
      NO_COLOR: '1',
      EXTRA: 'yes',
    });
    const allowed = [
      'EXTRA',
      'HERMES_HOME',
      'HOME',
      'LANG',
      'NODE_COMPILE_CACHE',
      'NO_COLOR',
      'PATH',
      'TERM',
      'TMPDIR',
    ];
    expect(Object.keys(env).filter((key) => !allowed.includes(key) && !key.startsWith('__'))).toEqual([]);
    expect(cwd).toBe(home.workspace);
  });

  it('kills a process that times out', async () => {
    await using home = await createTemporaryHome();
    const options = await replaceCommand(home, `setInterval(() => undefined, 1000);`);
    const running = startHermes(['chat'], { ...options, timeoutMs: 200 });
    await expect(running.exited).rejects.toThrow(/hermes chat timed out after 200 ms and was killed/);
    expect(running.child.signalCode).toBe('SIGKILL');
  });
});

describe('startHermes', () => {
  it('waits for output after the previous match', async () => {
    await using home = await createTemporaryHome();
    const running = startHermes([], await replaceCommand(home, ECHO));
    await running.waitForOutput('ready> ');
    running.write('one\n');
    expect(await running.waitForOutput(/line \d: \w+/gu)).toBe('line 1: one');
    await running.waitForOutput('ready> ');
    running.write('two\n');
    expect(await running.waitForOutput(/line \d: \w+/gu)).toBe('line 2: two');
    running.closeInput();
    expect((await running.exited).exitCode).toBe(0);
    expect(running.stdout).toContain('line 2: two');
  });

  it('rejects if the output never appears', async () => {
    await using home = await createTemporaryHome();
    const running = startHermes([], { ...(await replaceCommand(home, `console.error('bye');`)), input: '' });
    await expect(running.waitForOutput('hello')).rejects.toThrow(/exited before its output contained hello[^]*bye/);
    await expect(running.waitForOutput('hello')).rejects.toThrow('exited before');
    expect(await running.waitForOutput('bye')).toBe('bye');
  });

  it('sends signals', async () => {
    await using home = await createTemporaryHome();
    const running = startHermes([], await replaceCommand(home, ECHO));
    await running.waitForOutput('ready');
    running.kill('SIGKILL');
    expect(await running.exited).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
    running.write('too late');
  });

  it('reports a Node that cannot be started', async () => {
    await using home = await createTemporaryHome();
    const running = startHermes([], { ...(await replaceCommand(home, ECHO)), node: join(home.path, 'no-node') });
    await expect(running.exited).rejects.toThrow('ENOENT');
  });
});
