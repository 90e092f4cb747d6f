import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startHermes } from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { fullDoseOnly } from '../support/dose.ts';
import { useCliFixture } from '../support/cli-fixture.ts';
import { runHermes } from '../support/run-hermes.ts';

const cli = useCliFixture();
const hermes = (args: string[], env: Record<string, string> = {}) => runHermes(args, { home: cli.home, env });
const archive = () => join(cli.home.workspace, 'b.tar.gz');
const namesIn = (file: string) =>
  spawnSync('tar', ['tzf', file], { encoding: 'utf8' }).stdout.trim().split('\n').toSorted();

async function fillHome(): Promise<void> {
  await cli.configure();
  await cli.home.write('.env', 'SECRET_KEY=abc\n');
  await cli.home.write('memories/USER.md', 'The user is Ada.');
  await cli.home.write('cache/models/x.json', '{}');
  await cli.home.write('trash/old/SKILL.md', 'gone');
  cli.server.setScript(() => ({ text: 'stored answer' }));
  await hermes(['-z', 'hello']);
}

describe('hermes backup and import', () => {
  verifies('SURF-2', 'writes a home into one private file and restores it completely', async () => {
    await fillHome();
    const { stdout, stderr, exitCode } = await hermes(['backup', '-o', archive()]);
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^Wrote \d+ files to .+b\.tar\.gz \(.+B\)\.\n$/)]);
    expect(stderr).toContain('contains your credentials');
    expect((await stat(archive())).mode & 0o777).toBe(0o600);
    const names = namesIn(archive());
    expect(names).toEqual(
      expect.arrayContaining([
        'hermes-backup.json',
        'config.yaml',
        '.env',
        'memories/USER.md',
        'state.db',
        'trash/old/SKILL.md',
      ]),
    );
    expect(names.filter((name) => /^cache|-wal$|-shm$/.test(name))).toEqual([]);
    const other = join(dirname(cli.home.path), 'other');
    expect((await hermes(['import', archive()], { HERMES_HOME: other })).stdout).toMatch(/^Imported \d+ files of /);
    expect(await readFile(join(other, 'memories/USER.md'), 'utf8')).toBe('The user is Ada.');
    expect((await stat(join(other, '.env'))).mode & 0o777).toBe(0o600);
    expect((await hermes(['sessions', 'search', 'stored'], { HERMES_HOME: other })).stdout).toContain('stored');
  });

  it('follows symbolic links at the top level, and lists the links it does not follow', async () => {
    const elsewhere = join(cli.home.workspace, 'dotfiles');
    await mkdir(join(elsewhere, 'skills'), { recursive: true });
    await writeFile(join(elsewhere, 'SOUL.md'), 'I am kept elsewhere.');
    await cli.configure();
    await mkdir(join(cli.home.path, 'memories'), { recursive: true });
    await symlink(join(elsewhere, 'SOUL.md'), join(cli.home.path, 'SOUL.md'));
    await symlink(join(elsewhere, 'skills'), join(cli.home.path, 'skills'));
    await symlink('/etc/hostname', join(cli.home.path, 'memories', 'away'));
    const { stderr } = await hermes(['backup', '-o', archive()]);
    expect(stderr).toContain('links to other locations: memories/away, skills.');
    expect(spawnSync('tar', ['xzOf', archive(), 'SOUL.md'], { encoding: 'utf8' }).stdout).toBe('I am kept elsewhere.');
    expect(namesIn(archive()).filter((name) => /^(?:skills|memories)/.test(name))).toEqual([]);
  });

  it('--quick skips large generated files', async () => {
    await fillHome();
    await hermes(['backup', '--quick', '-o', archive()]);
    const names = namesIn(archive());
    expect(names).toContain('state.db');
    expect(names.filter((name) => /^(?:logs|trash|cache)\//.test(name))).toEqual([]);
  });

  verifies('BOUND-2', 'replaces nothing without asking, and keeps the old home', async () => {
    await fillHome();
    await hermes(['backup', '-o', archive()]);
    expect(await hermes(['backup', '-o', archive()])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('already exists'),
    });
    await cli.home.write('memories/USER.md', 'The user is Bob.');
    expect(await hermes(['import', archive()])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--yes'),
    });
    expect(await cli.home.read('memories/USER.md')).toBe('The user is Bob.');
    const { stdout } = await hermes(['import', archive(), '--yes']);
    expect(await cli.home.read('memories/USER.md')).toBe('The user is Ada.');
    const kept = /The previous home directory was moved to (.+)\.\n/.exec(stdout)?.[1] ?? '';
    expect(await readFile(join(kept, 'memories/USER.md'), 'utf8')).toBe('The user is Bob.');
    const siblings = await readdir(dirname(cli.home.path));
    expect(siblings.filter((name) => name.includes('importing'))).toEqual([]);
  });

  verifies('BOUND-2', 'changes nothing for a damaged or malicious archive', fullDoseOnly, async () => {
    await fillHome();
    await hermes(['backup', '-o', archive()]);
    const whole = await readFile(archive());
    const folder = join(cli.home.workspace, 'evil');
    await mkdir(folder);
    const manifest = (files: string[]) => JSON.stringify({ format: 1, version: '1', createdAt: '2026', files });
    const pack = async (name: string, files: string[], ...args: string[]) => {
      await writeFile(join(folder, 'hermes-backup.json'), manifest(files));
      spawnSync('tar', ['czPf', join(cli.home.workspace, name), 'hermes-backup.json', ...args], { cwd: folder });
      return join(cli.home.workspace, name);
    };
    await writeFile(join(cli.home.workspace, 'outside'), 'x');
    await symlink('/etc/passwd', join(folder, 'link'));
    await writeFile(join(folder, 'state.db'), 'SQLite format 3\0 and nothing else of one'.repeat(100));
    const cut = join(cli.home.workspace, 'cut.tar.gz');
    await writeFile(cut, whole.subarray(0, whole.length / 2));
    const plain = join(cli.home.workspace, 'plain.tar.gz');
    await writeFile(plain, 'no archive');
    const faults: [file: string, message: RegExp][] = [
      [cut, /Cannot import .*cut\.tar\.gz: /],
      [plain, /Cannot import .*: it is not a gzip archive/],
      [join(cli.home.workspace, 'missing.tar.gz'), /no such file/],
      [await pack('up.tar.gz', [], '../outside'), /"\.\.\/outside" is not a regular file/],
      [await pack('link.tar.gz', [], 'link'), /"link" is not a regular file/],
      [await pack('absolute.tar.gz', [], '/etc/hostname'), /"\/etc\/hostname" is not a regular file/],
      [await pack('short.tar.gz', ['config.yaml']), /it does not contain config\.yaml/],
      [await pack('damaged.tar.gz', ['state.db'], 'state.db'), /database state\.db is damaged/],
    ];
    for (const [file, message] of faults) {
      const { exitCode, stderr } = await hermes(['import', file, '--yes']);
      expect([basename(file), exitCode, stderr]).toEqual([basename(file), 2, expect.stringMatching(message)]);
    }
    expect(await cli.home.read('memories/USER.md')).toBe('The user is Ada.');
    expect((await readdir(dirname(cli.home.path))).filter((name) => name.includes('import'))).toEqual([]);
  });

  verifies(
    'BOUND-2',
    'rejects a backup that is larger than the limit, and accepts it with a higher one',
    fullDoseOnly,
    async () => {
      await fillHome();
      await cli.home.write('memories/large.md', 'x'.repeat(3_000_000));
      await hermes(['backup', '-o', archive()]);
      const other = { HERMES_HOME: join(dirname(cli.home.path), 'other') };
      const rejected = await hermes(['import', archive(), '--max-size', '2'], other);
      expect([rejected.exitCode, rejected.stderr]).toEqual([
        2,
        expect.stringMatching(/larger than 2 MB.*\n.*--max-size/),
      ]);
      expect(existsSync(other.HERMES_HOME)).toBe(false);
      await mkdir(other.HERMES_HOME);
      await writeFile(join(other.HERMES_HOME, 'config.yaml'), 'backup:\n  max_import_mb: 1\n');
      expect((await hermes(['import', archive(), '--yes'], other)).stderr).toContain('larger than 1 MB');
      expect((await hermes(['import', archive(), '--yes', '--max-size', '100'], other)).exitCode).toBe(0);
    },
  );

  it('copies a database that is being written', fullDoseOnly, async () => {
    await fillHome();
    const { promise, resolve } = Promise.withResolvers<void>();
    cli.server.setScript(() => ({ text: 'later', fault: { type: 'slow-headers', wait: promise } }));
    const running = startHermes(['-z', 'in the middle of it'], { home: cli.home });
    await cli.server.waitForRequests(cli.server.requests.length + 1);
    expect((await hermes(['backup', '-o', archive()])).exitCode).toBe(0);
    resolve();
    expect((await running.exited).exitCode).toBe(0);
    const other = join(dirname(cli.home.path), 'other');
    await hermes(['import', archive()], { HERMES_HOME: other });
    expect((await hermes(['sessions', 'search', 'middle'], { HERMES_HOME: other })).stdout).toContain(
      '>>>middle<<< of it',
    );
    expect(existsSync(join(other, 'state.db'))).toBe(true);
  });
});

describe('hermes dump', () => {
  verifies('OBS-4', 'contains what a bug report needs, and no secrets', async () => {
    await cli.home.write(
      'config.yaml',
      `model:\n  provider: custom\n  default: m\n  base_url: ${cli.server.url}/v1\n  api_key: hunter2hunter2hunter2\nodd: 1\n`,
    );
    await cli.home.write('.env', 'OPENROUTER_API_KEY=sk-or-0123456789abcdefghij\n');
    cli.server.setScript(() => ({ fault: { type: 'status', status: 400, message: 'sk-or-0123456789abcdefghij' } }));
    await hermes(['-z', 'hello']);
    const { stdout, exitCode } = await hermes(['dump']);
    expect(exitCode).toBe(0);
    for (const part of [
      'hermes 0.',
      'node v',
      '(custom), m, at',
      'odd = 1  (unknown key)',
      'OPENROUTER_API_KEY (in .env)',
      'read_file',
      '1 sessions',
      'model call failed',
    ]) {
      expect(stdout).toContain(part);
    }
    expect(stdout).not.toMatch(/hunter2hunter2|0123456789abcdef/);
    expect(stdout).not.toContain(cli.home.userHome);
    await cli.home.write('config.yaml', 'model: [');
    const broken = await hermes(['dump']);
    expect([broken.exitCode, broken.stdout]).toEqual([0, expect.stringContaining('unavailable: ')]);
  });
});
