import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { waitUntil } from '../../../test/support/wait-until.ts';
import type { CommandFiles } from '../../contracts/index.ts';
import { type ScriptCase, scriptCases } from '../corpus.fixture.ts';
import { createApprovalGuard } from '../index.ts';

const HOMES = { home: '/home/ann', hermesHome: '/home/ann/.hermes' };
const LATER = Date.now() + 3_600_000;

let base = '';
let count = 0;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'hermes-scripts-'));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

function project(files: Readonly<Record<string, string>>): string {
  count += 1;
  const folder = join(base, String(count));
  mkdirSync(folder);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text, { mode: path.endsWith('.sample') ? 0o644 : 0o755 });
  }
  return folder;
}

/** A time that lies after all files so far, once the clock of the file system has reached it. */
async function afterNow(): Promise<number> {
  const since = Date.now() + 25;
  const probe = join(base, 'probe');
  await waitUntil(() => {
    writeFileSync(probe, '');
    expect(statSync(probe).ctimeMs).toBeGreaterThanOrEqual(since);
  });
  return since;
}

/** A guard for which all files existed before the session. */
const guardOfExisting = (options = {}) => createApprovalGuard({ ...HOMES, since: LATER, ...options });
/** A guard for which all files were written in the session. */
const guardOfNew = (options = {}) => createApprovalGuard({ ...HOMES, since: 0, ...options });

describe('the corpus of scripts', () => {
  const judged: (ScriptCase & { found: { existing: string; fresh: string } })[] = [];
  beforeAll(async () => {
    const [existing, fresh] = [guardOfExisting(), guardOfNew()];
    for (const one of scriptCases()) {
      const folder = project(Object.fromEntries(one.files.map(({ path, text }) => [path, text])));
      const found = {
        existing: (await existing.judgeCommand(one.command, folder)).verdict,
        fresh: (await fresh.judgeCommand(one.command, folder)).verdict,
      };
      judged.push({ ...one, found });
    }
  });
  const wrong = (kind: 'existing' | 'fresh', isWrong: (one: (typeof judged)[number]) => boolean) =>
    judged
      .filter((one) => isWrong(one) && one.found[kind] !== one[kind])
      .map(({ line, found }) => `${found[kind]}: ${line}`);

  verifies('APPR-6', 'blocks what a script must never do, in old and in new files', () => {
    expect(judged.filter(({ existing }) => existing === 'block').length).toBeGreaterThan(100);
    expect(wrong('existing', ({ existing }) => existing === 'block')).toEqual([]);
    expect(wrong('fresh', ({ fresh }) => fresh === 'block')).toEqual([]);
  });

  verifies('APPR-6', 'asks about dangerous commands in files, with all rules for files of this session', () => {
    expect(judged.filter(({ fresh }) => fresh !== 'allow').length).toBeGreaterThan(150);
    expect(wrong('existing', ({ existing }) => existing === 'ask')).toEqual([]);
    expect(wrong('fresh', ({ fresh }) => fresh === 'ask')).toEqual([]);
  });

  verifies('APPR-6', 'does not ask about ordinary scripts, nor about files that a command does not run', () => {
    expect(judged.filter(({ existing }) => existing === 'allow').length).toBeGreaterThan(150);
    expect(wrong('existing', ({ existing }) => existing === 'allow')).toEqual([]);
    expect(wrong('fresh', ({ fresh }) => fresh === 'allow')).toEqual([]);
  });
});

describe('files of this session', () => {
  verifies('APPR-6', 'are judged like the command line as soon as a tool or a command has written them', async () => {
    const folder = project({ 'clean.sh': 'rm -rf dist\n' });
    const guard = createApprovalGuard({ ...HOMES, since: await afterNow() });
    const verdict = async () => (await guard.judgeCommand('bash clean.sh', folder)).verdict;
    expect(await verdict()).toBe('allow');
    appendFileSync(join(folder, 'clean.sh'), 'rm -rf src\n');
    expect(await verdict()).toBe('ask');
  });

  verifies('APPR-6', 'need approval only for added text, if their earlier text is known', async () => {
    const folder = project({ 'clean.sh': 'rm -rf dist\n', 'package.json': '{"scripts":{"clean":"rm -rf dist"}}' });
    const guard = createApprovalGuard({ ...HOMES, since: await afterNow() });
    const reasons = async (command: string) =>
      (await guard.judgeCommand(command, folder)).reasons.map(({ matched }) => matched);
    guard.judgeWrite(join(folder, 'clean.sh'), folder);
    await guard.judgeCommand('npm install left-pad', folder);
    writeFileSync(join(folder, 'clean.sh'), 'echo start\nrm -rf dist\n');
    writeFileSync(join(folder, 'package.json'), '{"dependencies":{},"scripts":{"clean":"rm -rf dist"}}');
    expect(await reasons('bash clean.sh')).toEqual([]);
    expect(await reasons('npm run clean')).toEqual([]);
    appendFileSync(join(folder, 'clean.sh'), 'rm -rf src\n');
    writeFileSync(join(folder, 'package.json'), '{"scripts":{"clean":"rm -rf dist src"}}');
    expect(await reasons('bash clean.sh')).toEqual(['clean.sh: rm -rf src']);
    expect(await reasons('npm run clean')).toEqual(['package.json: rm -rf dist src']);
  });

  verifies('APPR-6', 'cannot hide by their time of modification, by a copy or by their size', async () => {
    const folder = project({ 'a.sh': 'rm -rf dist\n', 'long.sh': `rm -rf dist\n${'#\n'.repeat(40_000)}` });
    const guard = createApprovalGuard({ ...HOMES, since: Date.now() - 60_000 });
    utimesSync(join(folder, 'a.sh'), 1000, 1000);
    renameSync(join(folder, 'a.sh'), join(folder, 'b.sh'));
    for (const command of ['bash b.sh', 'bash long.sh'])
      expect([command, (await guard.judgeCommand(command, folder)).verdict]).toEqual([command, 'ask']);
  });
});

describe('reading scripts', () => {
  it('shows the file and the command in it', async () => {
    const folder = project({ 'tools/x.sh': 'git push --force\n' });
    const { reasons } = await guardOfExisting().judgeCommand('npm test; bash tools/x.sh', folder);
    expect(reasons).toEqual([
      expect.objectContaining({ rule: 'rewrite git history', matched: 'tools/x.sh: git push --force' }),
    ]);
  });

  it('reads nothing for commands that run nothing, and ignores binaries, folders and unreadable files', async () => {
    const folder = project({ 'x.bin': '\u0000rm -rf ~', 'x/y': '' });
    if (process.getuid?.() !== 0) chmodSync(join(folder, 'x/y'), 0);
    for (const command of ['./x.bin', 'bash x', 'bash x/y', 'bash missing.sh', 'make', 'npm test'])
      expect([command, (await guardOfNew().judgeCommand(command, folder)).verdict]).toEqual([command, 'allow']);
  });

  verifies('APPR-6', 'judges a script that the same line changes by its new text', async () => {
    const folder = project({ 'x.sh': 'rm -rf ~\n' });
    const verdict = async (command: string) => (await guardOfExisting().judgeCommand(command, folder)).verdict;
    expect(await verdict('echo ls > x.sh; bash x.sh')).toBe('allow');
    expect(await verdict('bash x.sh; echo ls > x.sh')).toBe('block');
  });

  verifies('APPR-6', 'an allow-list entry for a line does not cover what is added to its script', async () => {
    const folder = project({ 'x.sh': 'git push --force\n' });
    const allowed = ['bash x.sh'];
    expect((await guardOfExisting({ allowed }).judgeCommand('bash x.sh', folder)).verdict).toBe('allow');
    expect((await guardOfNew({ allowed }).judgeCommand('bash x.sh', folder)).verdict).toBe('ask');
    const byCommand = guardOfNew({ allowed: ['git push --force'] });
    expect((await byCommand.judgeCommand('bash x.sh', folder)).verdict).toBe('allow');
  });

  it('limits depth and number without losing a block that it has found', async () => {
    const chain = Object.fromEntries(
      Array.from({ length: 8 }, (_, index) => [`${index}.sh`, `bash ${index + 1}.sh\n`]),
    );
    const many = Array.from({ length: 80 }, (_, index) => `bash s${index}.sh`).join('\n');
    const scripts = Object.fromEntries(Array.from({ length: 80 }, (_, index) => [`s${index}.sh`, 'echo\n']));
    const folder = project({ ...chain, ...scripts, 'many.sh': `rm -rf ~\n${many}` });
    expect((await guardOfExisting().judgeCommand('bash 0.sh', folder)).verdict).toBe('allow');
    expect((await guardOfNew().judgeCommand('bash 0.sh', folder)).verdict).toBe('ask');
    expect((await guardOfExisting().judgeCommand('bash many.sh', folder)).verdict).toBe('block');
  });
});

describe('files of another environment', () => {
  const remote = (files: Readonly<Record<string, string>>, isolated = false) => {
    const read: string[] = [];
    const environment: CommandFiles = {
      isolated,
      async stat(path) {
        const text = files[path];
        return text === undefined ? undefined : { kind: 'file', size: text.length, modifiedMs: 0 };
      },
      async readFile(path) {
        read.push(path);
        return Buffer.from(files[path] ?? '');
      },
    };
    return { environment, read };
  };

  verifies('APPR-6', 'are read from there, and files of this machine are not', async () => {
    const folder = project({ 'x.sh': 'rm -rf ~\n' });
    const { environment } = remote({
      '/srv/app/a.sh': 'bash b.sh\n',
      '/srv/app/b.sh': '. ./c.sh\n',
      '/srv/app/c.sh': 'rm -rf /\n',
    });
    const guard = guardOfExisting();
    expect((await guard.judgeCommand('bash a.sh', '/srv/app', environment)).verdict).toBe('block');
    expect((await guard.judgeCommand('bash x.sh', folder, environment)).verdict).toBe('allow');
    expect((await guard.judgeCommand('bash x.sh', folder)).verdict).toBe('block');
  });

  it('are not read in an isolated environment', async () => {
    const { environment, read } = remote({ '/srv/app/a.sh': 'git push --force\n' }, true);
    expect((await guardOfExisting().judgeCommand('bash a.sh', '/srv/app', environment)).verdict).toBe('allow');
    expect(read).toEqual([]);
  });
});
