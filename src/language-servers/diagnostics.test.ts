import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { dose, someOf, fullDoseOnly } from '../../test/support/dose.ts';
import type { JsonObject } from '../base/index.ts';
import { DEFAULT_DIAGNOSTICS, type DiagnosticsSettings, type LanguageServerSettings } from '../config/index.ts';
import { silentLogger } from '../contracts/index.ts';
import { createLocalEnvironment } from '../environments/index.ts';
import { createDiagnostics, type Diagnostics, type DiagnosticsOptions } from './diagnostics.ts';

const SCRIPTED = join(import.meta.dirname, 'scripted-server.fixture.ts');
const BIN = join(import.meta.dirname, '../../node_modules/.bin');
/** Long enough for a busy machine; only tests about silence use less. */
const PATIENT: DiagnosticsSettings = { ...DEFAULT_DIAGNOSTICS, waitSeconds: 30, detect: false };

let project = '';
let logFile = '';
let opened: Diagnostics[] = [];
beforeEach(async () => {
  project = await realpath(await mkdtemp(join(tmpdir(), 'hermes-diagnostics-')));
  logFile = join(project, 'server.log');
  opened = [];
});
afterEach(async () => {
  await Promise.all(opened.map((each) => each.close()));
  await rm(project, { recursive: true, force: true });
});

const scripted = (mode: string): Record<string, LanguageServerSettings> => ({
  scripted: { command: [process.execPath, SCRIPTED, mode], extensions: ['x'], disabled: false },
});

function open(
  servers: Record<string, LanguageServerSettings>,
  settings: Partial<DiagnosticsSettings> = {},
  more: Partial<DiagnosticsOptions> = {},
  env: Record<string, string> = {},
): Diagnostics {
  const environment = createLocalEnvironment({
    workingDirectory: project,
    env: { ...process.env, LSP_TEST_FILE: logFile, ...env },
  });
  const diagnostics = createDiagnostics({
    environment,
    servers,
    settings: Object.assign(settings, { ...PATIENT, ...settings }),
    projectRoot: project,
    mayRunProjectCode: false,
    mayRun: async () => true,
    logger: silentLogger,
    ...more,
  });
  opened.push(diagnostics);
  return diagnostics;
}

/** Writes files and returns what is added to the result. */
async function edit(diagnostics: Diagnostics, files: Record<string, string>): Promise<string | undefined> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(project, name)), { recursive: true });
    await writeFile(join(project, name), text);
  }
  const patch = Object.keys(files).map((name) => `*** Update File: ${name}\n`);
  const [path] = Object.keys(files);
  const args: JsonObject = patch.length === 1 && path !== undefined ? { path } : { patch: patch.join('') };
  return diagnostics.describeEdit({ args, signal: new AbortController().signal });
}

const received = async () => (await readFile(logFile, 'utf8')).trimEnd().split('\n');
const pidOf = (lines: readonly string[]) => Number(lines[0]?.split(' ')[1]);

/** A process that has ended but was not reaped yet does not run. */
function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

describe('diagnostics after an edit', () => {
  it.each(['push', 'pull'])('are appended, errors first, until none remain (%s)', async (mode) => {
    const diagnostics = open(scripted(mode));
    expect(await edit(diagnostics, { 'a.x': 'fine\n' })).toBeUndefined();
    expect(await edit(diagnostics, { 'a.x': 'odd one\nbad one\nhint\n' })).toBe(
      '[scripted reports 1 error and 1 warning in a.x after this change]\n' +
        '2:3 error: bad one\n1:3 warning: odd one\n[End of diagnostics]',
    );
    expect(await edit(diagnostics, { 'a.x': 'bad two\n\nbad one\n' })).toBe(
      '[scripted reports 2 errors in a.x after this change]\n' +
        '1:3 error: bad two (new)\n3:3 error: bad one\n[End of diagnostics]',
    );
    expect(await edit(diagnostics, { 'a.x': 'fine\n' })).toBe('[scripted: a.x has no errors or warnings any more]');
    expect(await edit(diagnostics, { 'a.x': 'still fine\n' })).toBeUndefined();
  });

  it('cover all files of a patch, with one server, and are limited', async () => {
    const diagnostics = open(scripted('push'), { maxLines: 2 });
    const text = await edit(diagnostics, { 'a.x': 'bad\n'.repeat(5), 'sub/b.x': 'bad b', 'c.txt': 'bad' });
    expect(text).toMatch(/^\[scripted reports 5 errors in a\.x [^]*\n\[3 more not shown\]\n\[End of diagnostics\]\n/);
    expect(text).toContain('in sub/b.x after this change]\n1:3 error: bad b\n');
    const lines = await received();
    expect(lines.filter((line) => line.startsWith('started'))).toHaveLength(1);
    // Edits of the server are refused, and its other questions answered.
    expect(lines).toContain('answer configuration [null,null]');
    expect(lines).toContain('answer edit {"applied":false}');
  });

  it('are found for several calls that run in parallel', async () => {
    const diagnostics = open(scripted('push'));
    const [one, two] = await Promise.all([
      edit(diagnostics, { 'a.x': 'bad a' }),
      edit(diagnostics, { 'b.x': 'bad b' }),
    ]);
    expect(one).toContain('error: bad a');
    expect(two).toContain('error: bad b');
  });

  it('start no server before the first edit of a file that it covers', async () => {
    const diagnostics = open(scripted('push'));
    expect(await edit(diagnostics, { 'a.txt': 'bad' })).toBeUndefined();
    await writeFile(join(tmpdir(), 'outside.x'), 'bad');
    const outside = { args: { path: join(tmpdir(), 'outside.x') }, signal: new AbortController().signal };
    expect(await diagnostics.describeEdit(outside)).toBeUndefined();
    await rm(join(tmpdir(), 'outside.x'));
    expect(existsSync(logFile)).toBe(false);
  });

  it('come from a server without secrets in its environment, which ends with the session', async () => {
    const diagnostics = open(scripted('push'), {}, {}, { SOME_API_KEY: 'x', OTHER_TOKEN: 'y' });
    expect(await edit(diagnostics, { 'a.x': 'bad' })).toBeDefined();
    const lines = await received();
    expect(lines[0]).toMatch(/^started \d+ $/);
    expect(isRunning(pidOf(lines))).toBe(true);
    await diagnostics.close();
    expect(isRunning(pidOf(lines))).toBe(false);
    expect((await received()).slice(-2)).toEqual(['shutdown', 'exit']);
  });

  it('cannot contain lines that look like a notice', async () => {
    expect(await edit(open(scripted('odd')), { 'a.x': '' })).toBe(
      '[scripted reports 1 error in a.x after this change]\n' +
        '1:1 error: bare [End of diagnostics] more\n[End of diagnostics]',
    );
  });
});

describe('a misbehaving server', () => {
  const BROKEN = ['exits', 'crashes', 'babbles', 'endless', 'floods'];
  it.each(someOf(BROKEN, 2))('that %s is given up without a delay', async (mode) => {
    const diagnostics = open(scripted(mode));
    for (const text of ['one', 'two', 'three', 'four', 'five']) {
      expect(await edit(diagnostics, { 'a.x': `bad ${text}` })).toBeUndefined();
    }
    const starts = (await received()).filter((line) => line.startsWith('started'));
    expect(starts.length).toBeLessThanOrEqual(3);
    await expect.poll(() => starts.some((line) => isRunning(pidOf([line])))).toBe(false);
  });

  it.each(dose(['hangs'], ['hangs', 'silent']))(
    'that %s delays an edit only for the configured time, and not every edit',
    async (mode) => {
      const settings = { waitSeconds: 0.3 };
      const diagnostics = open(scripted(mode), settings);
      // On a busy machine, starting takes longer than an edit waits.
      if (mode === 'silent') await vi.waitUntil(() => openFile(diagnostics));
      for (let count = 0; count < 3; count++) expect(await edit(diagnostics, { 'a.x': 'bad' })).toBeUndefined();
      // Later edits do not wait at all, or this test would time out.
      settings.waitSeconds = 1000;
      expect(await edit(diagnostics, { 'a.x': 'bad' })).toBeUndefined();
      await expect.poll(() => existsSync(logFile)).toBe(true);
      await diagnostics.close();
      expect(isRunning(pidOf(await received()))).toBe(false);
    },
  );

  async function openFile(diagnostics: Diagnostics): Promise<boolean> {
    await edit(diagnostics, { 'a.x': 'bad' });
    return existsSync(logFile) && (await received()).some((line) => line.includes('textDocument/didOpen'));
  }

  it('that ignores shutdown, SIGTERM and the end of its input is killed', fullDoseOnly, async () => {
    const diagnostics = open(scripted('stays'));
    expect(await edit(diagnostics, { 'a.x': 'bad' })).toBeDefined();
    await diagnostics.close();
    expect(isRunning(pidOf(await received()))).toBe(false);
  });

  it('does not hold up an interrupted call', async () => {
    const diagnostics = open(scripted('silent'));
    await writeFile(join(project, 'a.x'), 'bad');
    const signal = AbortSignal.timeout(100);
    expect(await diagnostics.describeEdit({ args: { path: 'a.x' }, signal })).toBeUndefined();
  });
});

describe('servers are found', () => {
  const typescript = { 'tsconfig.json': '{ "compilerOptions": { "strict": true } }' };

  it('on PATH, and the real TypeScript server reports type errors', async () => {
    const diagnostics = open({}, { detect: true }, {}, { PATH: `${BIN}:${process.env['PATH']}` });
    await edit(diagnostics, typescript);
    await edit(diagnostics, { 'web/other.ts': 'export const size: number = 1;\n' });
    const text = await edit(diagnostics, {
      'web/a.ts': "import { size } from './other';\nexport const a: string = size;\n",
    });
    expect(text).toMatch(
      /^\[typescript reports 1 error in web\/a\.ts after this change\]\n2:14 error: Type 'number' is not assignable to type 'string'\. \(2322\)\n/,
    );
    expect(await edit(diagnostics, { 'web/other.ts': "export const size: string = '';\n" })).toBeUndefined();
    expect(
      await edit(diagnostics, { 'web/a.ts': "import { size } from './other';\nexport const b: string = size;\n" }),
    ).toBe('[typescript: web/a.ts has no errors or warnings any more]');
  });

  it('in the configuration, and a real linter publishes its warnings', async () => {
    const oxlint = { command: [join(BIN, 'oxlint'), '--lsp'], extensions: ['ts'], disabled: false };
    const diagnostics = open({ oxlint });
    expect(await edit(diagnostics, { 'a.ts': 'export const a = 1;\ndebugger;\n' })).toMatch(
      /^\[oxlint reports 1 warning in a\.ts after this change\]\n2:1 warning: `debugger` statement is not allowed/,
    );
    expect(await edit(diagnostics, { 'a.ts': 'export const a = 1;\n' })).toContain('no errors or warnings any more');
  });

  it('in the project only if its code may run, and only if approvals allow the command', async () => {
    await mkdir(join(project, 'node_modules/.bin'), { recursive: true });
    await symlink(join(BIN, 'tsc'), join(project, 'node_modules/.bin/tsc'));
    await writeFile(join(project, 'tool'), `#!/bin/sh\nexec ${process.execPath} ${SCRIPTED} push\n`, { mode: 0o755 });
    const own = { own: { command: [join(project, 'tool')], extensions: ['x'], disabled: false } };
    expect(await edit(open(own), { 'a.x': 'bad' })).toBeUndefined();
    const asked: string[] = [];
    const mayRun = async (line: string) => {
      asked.push(line);
      return false;
    };
    expect(await edit(open(own, {}, { mayRunProjectCode: true, mayRun }), { 'a.x': 'bad' })).toBeUndefined();
    expect(asked).toEqual([`'${join(project, 'tool')}'`]);
    expect(await edit(open(own, {}, { mayRunProjectCode: true }), { 'a.x': 'bad' })).toContain('1 error');
    const noPath = { PATH: '/usr/bin:/bin' };
    const detected = open({}, { detect: true }, { mayRunProjectCode: true }, noPath);
    await edit(detected, typescript);
    expect(await edit(detected, { 'a.ts': 'export const a: string = 1;\n' })).toContain('(2322)');
    expect(
      await edit(open({}, { detect: true }, {}, noPath), { 'a.ts': 'export const a: string = 1;\n' }),
    ).toBeUndefined();
  });

  it('unless they are disabled, and the next program is tried if one does not work', async () => {
    const disabled = { typescript: { disabled: true } };
    const path = { PATH: `${BIN}:${process.env['PATH']}` };
    expect(await edit(open(disabled, { detect: true }, {}, path), { 'a.ts': 'let a: string = 1;' })).toBeUndefined();
    await writeFile(join(project, 'tsc'), '#!/bin/sh\necho "error TS5023: Unknown compiler option --lsp."\nexit 1\n', {
      mode: 0o755,
    });
    await symlink(join(BIN, 'tsc'), join(project, 'tsgo'));
    const outside = { PATH: `${project}:/usr/bin:/bin` };
    const both = open({}, { detect: true }, { mayRunProjectCode: true, projectRoot: '/nowhere' }, outside);
    expect(await edit(both, { 'a.ts': 'let a: string = 1;' })).toContain('(2322)');
  });
});
