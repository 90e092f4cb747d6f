import { execFile, execFileSync } from 'node:child_process';
import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { dose, fullDoseOnly } from '../../test/support/dose.ts';
import { verifies } from '../../test/spec/verifies.ts';
import type { JsonObject } from '../base/index.ts';
import { createToolFixture, errorOf } from './tools.fixture.ts';

const isRoot = process.getuid?.() === 0;

/** The required arguments of each tool besides `path`. */
const REQUIRED: Readonly<Record<string, JsonObject>> = {
  write_file: { content: 'x' },
  patch: { old_string: 'x', new_string: 'y' },
  search_files: { pattern: 'x' },
};

describe('file tools with unusable input', () => {
  verifies('TOOLX-2', 'explain what is wrong with the arguments', async () => {
    await using fixture = await createToolFixture();
    const failure = async (name: string, args: JsonObject) => errorOf(await fixture.run(name, args));
    expect(await failure('read_file', {})).toContain('path is missing');
    expect(await failure('read_file', { path: '' })).toContain('must name a file');
    expect(await failure('read_file', { path: 'a', offset: 'many' })).toContain('offset: got "many"');
    expect(await failure('read_file', { path: { a: 1 } })).toContain('path: got {"a":1}');
    expect(await failure('write_file', { path: 'a' })).toContain('content is missing');
    expect(await failure('write_file', { path: 'a', content: 'x\0y' })).toContain('NUL character');
    expect(await failure('patch', { path: 'a', old_string: 1, new_string: [] })).toContain('new_string: got []');
    expect(await failure('search_files', { pattern: '' })).toContain('that is not empty');
    const noPattern = 'A pattern cannot contain a NUL character';
    expect(await failure('search_files', { pattern: 'x\0y' })).toContain(noPattern);
    expect(await failure('search_files', { pattern: 'x\0y', target: 'files' })).toContain(noPattern);
    expect(await failure('search_files', { pattern: 'x', file_glob: '\0' })).toContain(noPattern);
    expect(await failure('search_files', { pattern: 'x', target: 'names' })).toContain('one of "content", "files"');
  });

  it.each(['read_file', 'write_file', 'patch', 'search_files'])('%s rejects impossible paths', async (name) => {
    await using fixture = await createToolFixture();
    await fixture.put('file.txt', 'x');
    await symlink('circle', join(fixture.folder, 'circle'));
    execFileSync('mkfifo', [join(fixture.folder, 'pipe')]);
    const failure = async (path: string) => errorOf(await fixture.run(name, { path, ...REQUIRED[name] }));
    expect(await failure('a\0b')).toContain('NUL');
    expect(await failure('x'.repeat(5000))).toContain('The path is too long (5000 characters)');
    expect(await failure('circle')).toContain('cycle of symbolic links');
    expect(await failure('pipe')).toContain('device, pipe or socket');
    expect(await failure('/dev/zero')).toContain('device');
    expect(await failure('file.txt/below')).toMatch(/not found|not a directory/);
  });

  it.each(['read_file', 'write_file', 'patch'])('%s rejects a directory', async (name) => {
    await using fixture = await createToolFixture();
    expect(errorOf(await fixture.run(name, { path: '.', ...REQUIRED[name] }))).toContain('is a directory');
  });

  it('reject a patch over several files as a whole and change nothing', async () => {
    await using fixture = await createToolFixture();
    await fixture.put('a.txt', 'one\n');
    await mkdir(join(fixture.folder, 'folder'));
    const failure = async (header: string) =>
      errorOf(await fixture.run('patch', { mode: 'patch', patch: `*** Update File: a.txt\n-one\n+1\n${header}` }));
    expect(await failure('*** Delete File: folder')).toContain('folder is a directory');
    expect(await failure('*** Delete File: missing.txt')).toContain('/missing.txt. Find it with search_files');
    expect(await failure('*** Add File: a.txt/b\n+x')).toContain('is a file, not a directory');
    expect(await failure('*** Add File: a\0b\n+x')).toContain('NUL');
    expect(await failure('*** Move File: a')).toContain('expected "*** Move File: OLD -> NEW"');
    expect(await fixture.get('a.txt')).toBe('one\n');
  });

  it('follow .. and symbolic links out of the directory, under the same approval guard', async () => {
    await using fixture = await createToolFixture();
    await writeFile(join(fixture.root, 'outside.txt'), 'needle\n');
    await symlink(fixture.root, join(fixture.folder, 'out'));
    expect((await fixture.run('read_file', { path: '../outside.txt' })).content).toBe('1|needle');
    expect((await fixture.run('read_file', { path: 'out/outside.txt' })).content).toContain('has not changed');
    expect((await fixture.run('write_file', { path: 'out/home/.bashrc', content: 'x' })).status).toBe('denied');
    expect((await fixture.run('write_file', { path: '../home/.ssh/x', content: 'x' })).status).toBe('denied');
    expect((await fixture.run('search_files', { pattern: 'needle' })).content).toBe('No matches.');
  });

  it('move a file without other changes and keep it executable', async () => {
    await using fixture = await createToolFixture();
    await fixture.put('run.sh', 'echo\n');
    await chmod(join(fixture.folder, 'run.sh'), 0o755);
    const patch = '*** Begin Patch\n*** Move File: run.sh -> bin/go.sh\n*** End Patch';
    expect((await fixture.run('patch', { mode: 'patch', patch })).content).toBe('Created bin/go.sh\nDeleted run.sh');
    expect(await fixture.get('bin/go.sh')).toBe('echo\n');
    expect(execFileSync('sh', ['-c', 'test -x bin/go.sh && echo yes'], { cwd: fixture.folder }).toString()).toBe(
      'yes\n',
    );
  });

  it('search an explicitly named file of any size, with context lines', async () => {
    await using fixture = await createToolFixture();
    const count = dose(60_000, 300_000);
    const lines = Array.from({ length: count }, (_, index) => `line ${index + 1} ${'x'.repeat(30)}`);
    lines[count - 2] = 'needle';
    await fixture.put('big.log', lines.join('\n'));
    const { content } = await fixture.run('search_files', { pattern: 'needle', path: 'big.log', context: 1 });
    expect(content).toBe(
      `big.log\n${count - 2}-${lines[count - 3]}\n${count - 1}:needle\n${count}-${lines[count - 1]}`,
    );
    const counted = await fixture.run('search_files', { pattern: 'line', path: 'big.log', output_mode: 'count' });
    expect(counted.content).toBe(`big.log:${count - 1}`);
  });

  it.runIf(isRoot)('report a missing permission', fullDoseOnly, async () => {
    await using fixture = await createToolFixture();
    await fixture.put('own.txt', 'mine\n');
    await fixture.put('open.txt', 'open\n');
    await fixture.put('closed/a.txt', 'x\n');
    await chmod(join(fixture.folder, 'own.txt'), 0o600);
    await chmod(join(fixture.folder, 'closed'), 0o700);
    await chmod(fixture.folder, 0o755);
    await chmod(fixture.root, 0o755);
    const calls = [
      { name: 'read_file', args: { path: 'own.txt' } },
      { name: 'read_file', args: { path: 'closed/a.txt' } },
      { name: 'write_file', args: { path: 'new.txt', content: 'x' } },
      { name: 'write_file', args: { path: 'open.txt', content: 'x' } },
      { name: 'patch', args: { path: 'open.txt', old_string: 'open', new_string: 'x' } },
      { name: 'patch', args: { mode: 'patch', patch: '*** Delete File: open.txt' } },
      { name: 'search_files', args: { pattern: 'mine|open|x' } },
      { name: 'search_files', args: { pattern: 'x', path: 'closed/a.txt' } },
    ];
    const child = join(import.meta.dirname, 'unprivileged.fixture.ts');
    const { stdout } = await promisify(execFile)(process.execPath, [child, fixture.folder, JSON.stringify(calls)]);
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as string);
    expect(
      answers.map((answer) => /Permission denied: cannot (\w+) ([\w./]+)\./.exec(answer)?.slice(1).join(' ')),
    ).toEqual([
      'read own.txt',
      'read closed/a.txt',
      'write new.txt',
      'write open.txt',
      'write open.txt',
      'write open.txt',
      undefined,
      'search closed/a.txt',
    ]);
    expect(answers[6]).toBe('open.txt\n1:open');
    expect(await readFile(join(fixture.folder, 'open.txt'), 'utf8')).toBe('open\n');
  });
});
