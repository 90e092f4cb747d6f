import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { dose } from '../../test/support/dose.ts';
import type { Environment } from '../contracts/index.ts';
import { skipReason } from '../environments/skip-tests.fixture.ts';
import { detectLanguage } from './coding/run-code.ts';
import { createToolFixture, errorOf, type ToolFixtureOptions } from './tools.fixture.ts';

const isPythonMissing = spawnSync('python3', ['-c', '']).status !== 0;
const withoutPython = skipReason('scripts in Python', isPythonMissing ? 'python3 is not installed' : undefined);

async function open(options: ToolFixtureOptions = {}) {
  const fixture = await createToolFixture({ code: {}, ...options });
  onTestFinished(() => fixture[Symbol.asyncDispose]());
  const run = (code: string, language = 'auto', signal?: AbortSignal) =>
    fixture.run('execute_code', { code, language }, signal);
  return { ...fixture, execute: run };
}

/** Approvals are off, so that guarded operations can be tested. */
const UNASKED: ToolFixtureOptions = { guard: { mode: 'off' } };

// A separate temporary directory shows what is left behind. Its name contains characters that a URL would escape.
let temporary: string;
beforeAll(() => {
  temporary = mkdtempSync(join(tmpdir(), 'hermes code %41#?-'));
  vi.stubEnv('TMPDIR', temporary);
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(temporary, { recursive: true });
});

const leftFolders = () => readdirSync(temporary).filter((name) => name.startsWith('hermes-code-'));

function isRunning(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'latin1').includes(') Z ');
  } catch {
    return false;
  }
}

describe('execute_code in JavaScript', () => {
  verifies('TOOL-5', 'lets a script call tools and returns only what it prints', async () => {
    const { execute, put, get } = await open();
    await put('a.txt', 'one\n');
    const { status, content } = await execute(`
      const text: string = await tools.read_file({ path: 'a.txt' });
      await tools.write_file({ path: 'b.txt', content: 'secret detail' });
      const listed = await Promise.all(['a.txt', 'b.txt'].map((path) => tools.read_file({ path })));
      console.log(text.includes('one'), listed.length);
    `);
    expect({ status, content }).toEqual({ status: 'ok', content: 'true 2' });
    expect(await get('b.txt')).toBe('secret detail');
    expect(leftFolders()).toEqual([]);
  });

  verifies('LOOP-3', 'does not count a step that only runs scripts', async () => {
    const { tools } = await open();
    const [call] = await tools.prepare([{ id: 'c', name: 'execute_code', arguments: '{"code":"1"}' }]);
    expect(call).toMatchObject({ status: 'ready', freeIteration: true });
  });

  it('reads files without line numbers, as often as wanted', async () => {
    const { execute, put } = await open();
    await put('a.json', '{\n  "1|x": 1\n}\n');
    const { content } = await execute(`
      const read = async () => JSON.parse(await tools.read_file({ path: 'a.json' }));
      console.log(JSON.stringify([await read(), await read()]), await tools.read_file({ path: 'a.json', offset: 2, limit: 1 }));
    `);
    expect(content).toBe('[{"1|x":1},{"1|x":1}]   "1|x": 1\n[lines 2–2 of 3; continue with offset 3]');
  });

  it('resolves modules from the working directory, with import and require', async () => {
    const { execute, put } = await open();
    await put('node_modules/walrus/index.js', 'module.exports = "tusk";');
    await put('node_modules/walrus/package.json', '{ "name": "walrus", "version": "1.0.0" }');
    const { content } = await execute(`
      import walrus from 'walrus';
      const { readFileSync } = require('fs');
      console.log(walrus, require('walrus'), readFileSync('node_modules/walrus/package.json', 'utf8').length > 10);
    `);
    expect(content).toBe('tusk tusk true');
  });

  verifies('TOOL-5', 'returns the error of a failing script with its output so far', async () => {
    const { execute } = await open();
    const { status, content } = await execute(`console.log('before');\nthrow new Error('no walrus');`);
    expect(status).toBe('error');
    expect(content).toMatch(/^before\n\[stderr\]\n[^]*Error: no walrus[^]*\[exit code 1\]$/);
    expect((await execute('const a = ;')).content).toContain('SyntaxError');
  });

  it('throws when a tool fails, and returns the output of a failing command', async () => {
    const { execute } = await open();
    const { content } = await execute(`
      try { await tools.read_file({ path: 'missing' }); } catch (error) { console.log('caught', error.message); }
      console.log(await tools.terminal({ command: 'echo out; exit 3' }));
      try { await tools.read_file(7); } catch (error) { console.log('caught', error.message); }
    `);
    expect(content).toMatch(/caught .*missing[^]*out\n\[exit code 3\][^]*caught Call tools as/);
  });

  verifies('TOOL-4', 'offers scripts only the available tools that are meant for them', async () => {
    const { execute, tools } = await open({ set: { selection: ({ name }) => name !== 'patch' } });
    const { content } = await execute(`
      for (const [name, args] of [['patch', {}], ['execute_code', { code: '1' }], ['todo', {}], ['constructor', {}],
        ['terminal', { command: 'sleep 1', background: true }]])
        await tools[name](args).catch((error) => console.log(error.message));
    `);
    expect(content.split('\n')).toEqual([
      'Scripts cannot call patch. Available tools: read_file, search_files, terminal, write_file.',
      expect.stringContaining('cannot call execute_code'),
      expect.stringContaining('cannot call todo'),
      expect.stringContaining('cannot call constructor'),
      'background is not available in scripts; commands in scripts run in the foreground.',
    ]);
    const described = (await tools.definitions()).find(({ name }) => name === 'execute_code')?.description;
    expect(described).toContain('these tools: read_file, write_file, search_files, terminal. Returns');
  });

  verifies('APPR-3', 'applies approvals to the code and to its tool calls', async () => {
    const { execute, asked, put, folder } = await open({ answers: ['deny', 'once', 'deny'] });
    await put('folder/kept.txt', '');
    const denied = await execute(`require('child_process').execSync('rm -rf folder')`);
    expect(denied.status).toBe('denied');
    const harm = `console.log(await tools.terminal({ command: ['rm', '-r', '-f', 'folder'].join(' ') }))`;
    const [allowed, inner] = [await execute(harm), asked.at(-1)];
    expect(allowed.status).toBe('ok');
    expect(inner).toMatchObject({ toolName: 'terminal', subject: 'rm -r -f folder' });
    expect(existsSync(join(folder, 'folder'))).toBe(false);
    const third = await execute(harm);
    expect(third.content).toMatch(/Not allowed: this would run a recursive delete/);
    expect(asked.map(({ toolName }) => toolName)).toEqual(['execute_code', 'terminal', 'terminal']);
  });

  it('runs nothing in plan mode', async () => {
    const { execute } = await open({ guard: { planMode: true } });
    expect((await execute(`console.log('hi')`)).status).toBe('denied');
  });

  it('applies hooks and redaction to nested calls, which do not mark files as seen', async () => {
    const seen: string[] = [];
    const { execute, run, put } = await open({
      set: {
        hooks: [
          { name: 'watch', preToolCall: async ({ toolName, callId }) => void seen.push(`${callId} ${toolName}`) },
        ],
      },
    });
    const key = `sk-ant-api03-${'a1B2c3D4'.repeat(12)}`;
    await put('keys.txt', `key=${key}\n`);
    const { content } = await execute(`console.log(await tools.read_file({ path: 'keys.txt' }))`);
    expect(content).not.toContain(key);
    expect(seen).toEqual(['c0 execute_code', 'c0.1 read_file']);
    // The script has read the file, not the model, so the file must not count as already read.
    expect((await run('read_file', { path: 'keys.txt' })).content).toContain('key=');
  });
});

describe.skipIf(withoutPython !== '')(`execute_code in Python${withoutPython}`, () => {
  verifies('TOOL-5', 'offers the same tools in Python, compatible with skills of the original', async () => {
    const { execute, put } = await open();
    await put('a.txt', 'one\ntwo\n');
    await put('helper.py', 'NAME = "walrus"\n');
    const { status, content } = await execute(`
import helper
from hermes_tools import read_file, terminal, search_files, json_parse, shell_quote
text = read_file("a.txt", limit=1)
result = terminal("exit 4")
print("one" in text, "one" in text["content"], result["exit_code"], result.get("nothing", "default"), helper.NAME)
print("a.txt" in search_files("two", path="."), json_parse('{"a": 1}')["a"], shell_quote("a b"))
`);
    expect(content).toBe("True True 4 default walrus\nTrue 1 'a b'");
    expect(status).toBe('ok');
  });

  it('raises an exception with the tool error', async () => {
    const { execute } = await open();
    const { status, content } = await execute('from hermes_tools import read_file\nread_file("missing")\n');
    expect(status).toBe('error');
    expect(content).toMatch(/script\.py", line 2[^]*ToolError: .*missing[^]*\[exit code 1\]$/);
  });
});

it('reports a missing Python', async () => {
  const { execute, environment } = await open();
  await environment.run('export PATH=/nowhere', {
    timeoutMs: 5000,
    signal: new AbortController().signal,
    maxOutput: 100,
  });
  const { status, content } = await execute('print(1)', 'python');
  expect({ status, content }).toEqual({ status: 'error', content: '[Python is not installed here.]' });
});

describe('language detection', () => {
  it.each([
    ['import os\nprint(os.getcwd())', 'python'],
    ['from hermes_tools import terminal\nr = terminal("ls")\nprint(r)', 'python'],
    ['for name in ["a"]:\n    print(name)', 'python'],
    ['# count\nx = 1\nprint(x)', 'python'],
    ['console.log(1)', 'javascript'],
    ['const a = await tools.read_file({ path: "a" });\nconsole.log(a);', 'javascript'],
    ["import fs from 'node:fs';\nconsole.log(fs.readdirSync('.'))", 'javascript'],
    ['// print(1)\nfor (const a of [1]) {\n  console.log(a)\n}', 'javascript'],
    ['1 + 1', 'javascript'],
  ])('%j is %s', (code, language) => {
    expect(detectLanguage(code)).toBe(language);
  });
});

describe('malicious scripts', () => {
  verifies('TOOL-5', 'rejects calls over the limit, however they are made', async () => {
    const { execute } = await open({ code: { maxCalls: 50 } });
    const { content } = await execute(`
      const all = await Promise.allSettled(Array.from({ length: 60 }, () => tools.read_file({ path: 'missing' })));
      const refused = all.filter(({ reason }) => /limit of 50 tool calls/.test(reason?.message ?? ''));
      console.log(all.length, refused.length);
    `);
    expect(content).toBe('60 10');
  });

  verifies('TOOL-5', 'truncates endless output in the middle, stderr included', async () => {
    const { execute } = await open();
    const { content, status } = await execute(`
      const line = 'x'.repeat(1023) + '\\n';
      console.log('begin');
      for (let n = 0; n < ${dose(8_000, 60_000)}; n += 1) process.stdout.write(line) || await new Promise((go) => process.stdout.once('drain', go));
      for (let n = 0; n < 100; n += 1) process.stderr.write('e'.repeat(1000) + '\\n');
      console.log('end');
    `);
    expect(status).toBe('ok');
    expect(content.length).toBeLessThan(51_000);
    expect(content).toMatch(/^begin\nx+\n[^]*characters omitted[^]*x+\nend\n\[stderr\]\ne+[^]*bytes omitted[^]*e+$/);
    expect(/\[stderr\][^]*/.exec(content)?.[0].length).toBeLessThan(10_500);
  });

  it('fits into a small context window, with the ending', async () => {
    const { execute } = await open({ contextLength: 4000 });
    const { content, status } = await execute(`
      for (let n = 0; n < 900; n += 1) console.log('out ' + n);
      for (let n = 0; n < 900; n += 1) console.error('\\u0001 err ' + n);
      process.exitCode = 3;
    `);
    expect(status).toBe('error');
    expect(content.length).toBeLessThanOrEqual(2400);
    expect(content).toMatch(
      /^out 0\n[^]*out 899\n\[stderr\]\n[^]*err 0\n[^]*bytes omitted[^]*err 899\n\[exit code 3\]$/,
    );
  });

  verifies('TOOL-5', 'kills a script with its process tree when it times out', async () => {
    const seconds = dose(3, 5);
    // Both variants block the event loop of the script; the second one also uses a whole core.
    const block = dose('Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);', 'for (;;) {}');
    const { execute, folder } = await open({ ...UNASKED, code: { timeoutSeconds: seconds } });
    const { status, content } = await execute(`
      const { spawn } = await import('node:child_process');
      const { writeFileSync } = await import('node:fs');
      // One of its own session, one of its own group, one that ignores being asked.
      const children = ['sleep 600', 'sleep 601', 'trap "" TERM HUP; sleep 602; sleep 603'].map((command, index) =>
        spawn('/bin/sh', ['-c', command], { stdio: 'ignore', detached: index < 2 }));
      writeFileSync('pids', JSON.stringify([process.pid, ...children.map(({ pid }) => pid)]));
      console.log('began');
      ${block}
    `);
    expect(status).toBe('error');
    expect(content).toMatch(/^began\n(?:\[stderr\][^]*)?\[timed out after \d s\]$/);
    expect(content).toContain(`after ${seconds} s`);
    const pids = JSON.parse(await readFile(join(folder, 'pids'), 'utf8')) as number[];
    expect(pids).toHaveLength(4);
    await expect.poll(() => pids.filter(isRunning)).toEqual([]);
    expect(leftFolders()).toEqual([]);
  });

  verifies('LOOP-7', 'stops a script and its pending call on an interrupt', async () => {
    const stop = new AbortController();
    const { execute, folder, progress } = await open();
    const running = execute(
      `console.log('here'); console.log(await tools.terminal({ command: 'echo $$ > pid; exec sleep 600' }));`,
      'javascript',
      stop.signal,
    );
    await expect
      .poll(() => (existsSync(join(folder, 'pid')) ? readFileSync(join(folder, 'pid'), 'utf8') : ''))
      .toMatch(/\d+\n/);
    stop.abort();
    const { status, content } = await running;
    expect(status).toBe('interrupted');
    expect(content).toMatch(/^here\n[^]*\[interrupted\]$/);
    expect(isRunning(Number(await readFile(join(folder, 'pid'), 'utf8')))).toBe(false);
    expect(progress.join('')).toBe('here\n');
    expect(leftFolders()).toEqual([]);
  });

  it('kills processes that a finished script left running', async () => {
    const { execute, folder } = await open(UNASKED);
    const { status } = await execute(`
      const { spawn } = await import('node:child_process');
      const child = spawn('sleep', ['600'], { stdio: 'inherit' });
      (await import('node:fs')).writeFileSync('pid', String(child.pid));
      console.log('done'); process.exit(0);
    `);
    expect(status).toBe('ok');
    await expect.poll(() => isRunning(Number(readFileSync(join(folder, 'pid'), 'utf8')))).toBe(false);
  });

  verifies('TOOL-5', 'lets no other process use the tools of a script', async () => {
    let found: { token: string; socket: string } | undefined;
    const tries: string[] = [];
    // An attacker that reads the token before the runner does. It must not be able to connect, neither before nor
    // after the runner.
    const adapt = (environment: Environment): Environment => ({
      ...environment,
      async run(command, options) {
        const isScript = typeof options.stdin === 'string' && options.stdin.includes('"token"');
        if (!isScript) return environment.run(command, options);
        found = JSON.parse(options.stdin as string) as { token: string; socket: string };
        tries.push(await attempt(found.socket, 'wrong'));
        tries.push(await attempt(found.socket, `${found.token}x`));
        tries.push(await attempt(found.socket, ''));
        return environment.run(command, options);
      },
    });
    const { execute, put } = await open({ ...UNASKED, adapt });
    await put('thief.mjs', '');
    const { content } = await execute(`
      const { readFileSync, readdirSync } = await import('node:fs');
      const own = readFileSync('/proc/self/environ', 'latin1') + process.argv.join(' ') + JSON.stringify(process.env);
      const parent = readFileSync('/proc/' + process.ppid + '/environ', 'latin1') + readFileSync('/proc/' + process.ppid + '/cmdline', 'latin1');
      const { fileURLToPath } = await import('node:url');
      const folder = fileURLToPath(/file:\\S*hermes-code-[^/]+/.exec(process.execArgv.join(' '))[0]);
      const files = readdirSync(folder).map((name) => { try { return readFileSync(folder + '/' + name, 'utf8'); } catch { return ''; } });
      console.log(JSON.stringify({ text: own + parent + files.join(''), names: readdirSync(folder) }));
      console.log(await tools.terminal({ command: 'ls' }));
    `);
    const { text, names } = JSON.parse(content.split('\n')[0] ?? '{}') as { text: string; names: string[] };
    expect(found?.token).toMatch(/^[0-9a-f]{64}$/);
    expect(text).not.toContain(found?.token);
    // The socket is gone as soon as the script is connected.
    expect(names).not.toContain('s');
    expect(tries).toEqual(['closed', 'closed', 'closed']);
    expect(content).toContain('thief.mjs');
    expect(await attempt(found?.socket ?? '', found?.token ?? '')).toBe('no door');
  });

  verifies('APPR-2', 'never runs a fork bomb', async () => {
    const { execute } = await open(UNASKED);
    const { status, content } = await execute('import os\nwhile True:\n    os.fork()\n');
    expect([status, content]).toEqual(['denied', expect.stringContaining('fork bomb')]);
  });

  it('hides secret environment variables from a script', async () => {
    const { execute, environment } = await open();
    const set = 'export AWS_SESSION_NAME=x LC_SECRET=hidden XDG_THING=shown GITHUB_PAT_X=1 DATABASE_DSN=1 PATH=$PATH';
    await environment.run(set, { timeoutMs: 5000, signal: new AbortController().signal, maxOutput: 100 });
    const { content } = await execute('console.log(Object.keys(process.env).sort().join(" "))', 'javascript');
    expect(content).toContain('XDG_THING');
    for (const name of ['LC_SECRET', 'GITHUB_PAT_X', 'DATABASE_DSN', 'AWS_SESSION_NAME'])
      expect(content).not.toContain(name);
  });

  it('is not offered if commands run on another machine', async () => {
    const { tools, run } = await open({ adapt: ({ newFolder: _, ...environment }) => environment });
    expect(await tools.names()).not.toContain('execute_code');
    expect(errorOf(await run('execute_code', { code: '1' }))).toMatch(/execute_code/);
  });
});

/** Tries to connect with a token: `closed` if disconnected, `no door` if nothing listens, otherwise the response. */
async function attempt(path: string, token: string): Promise<string> {
  const { connect } = await import('node:net');
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('error', () => resolve('no door'));
    socket.once('data', (bytes) => resolve(String(bytes)));
    socket.once('close', () => resolve('closed'));
    const call = JSON.stringify({ id: 1, tool: 'terminal', args: { command: 'id' } });
    socket.write(`${token}\n${call}\n`);
  });
}
