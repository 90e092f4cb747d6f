import { symlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { createToolFixture, errorOf } from './tools.fixture.ts';
import { fullDoseOnly } from '../../test/support/dose.ts';

async function project() {
  const fixture = await createToolFixture();
  await fixture.put('.git/HEAD', 'needle');
  await fixture.put('.gitignore', 'dist/\n*.log\n!keep.log\n');
  await fixture.put('src/a.ts', 'one\nneedle here\nthree\nneedle again\nfive\n');
  await fixture.put('src/b.js', 'const Needle = 1;\n');
  await fixture.put('src/inner/.gitignore', 'secret.ts\n');
  await fixture.put('src/inner/c.ts', 'needle\n');
  await fixture.put('src/inner/secret.ts', 'needle\n');
  await fixture.put('dist/out.ts', 'needle\n');
  await fixture.put('debug.log', 'needle\n');
  await fixture.put('keep.log', 'needle\n');
  await fixture.put('node_modules/x/index.ts', 'needle\n');
  await fixture.put('data.bin', new Uint8Array([0, ...Buffer.from('needle')]));
  await symlink(fixture.folder, join(fixture.folder, 'loop'));
  return fixture;
}

describe('search_files in contents', () => {
  it('groups matches by file, without ignored, binary and linked files', async () => {
    await using fixture = await project();
    const { content } = await fixture.run('search_files', { pattern: 'needle' });
    expect(content).toBe('keep.log\n1:needle\nsrc/a.ts\n2:needle here\n4:needle again\nsrc/inner/c.ts\n1:needle');
  });

  it('shows shared context lines once', async () => {
    await using fixture = await project();
    const { content } = await fixture.run('search_files', { pattern: 'needle', path: 'src/a.ts', context: 1 });
    expect(content).toBe('src/a.ts\n1-one\n2:needle here\n3-three\n4:needle again\n5-five');
    expect((await fixture.run('search_files', { pattern: 'needle', path: 'src/a.ts', context: 9 })).content).toContain(
      '1-one\n2:',
    );
  });

  it('counts, lists files, filters and pages', async () => {
    await using fixture = await project();
    const search = async (args: Record<string, string | number>) =>
      (await fixture.run('search_files', { pattern: 'needle', ...args })).content;
    expect(await search({ output_mode: 'count' })).toBe('keep.log:1\nsrc/a.ts:2\nsrc/inner/c.ts:1');
    expect(await search({ output_mode: 'files_only', file_glob: '*.{ts,js}' })).toBe('src/a.ts\nsrc/inner/c.ts');
    expect(await search({ output_mode: 'files_only', file_glob: '*.{ts}' })).toBe('src/a.ts\nsrc/inner/c.ts');
    expect(await search({ output_mode: 'files_only', file_glob: 'src/*.ts' })).toBe('src/a.ts');
    expect(await search({ pattern: '(?i)NEEDLE', file_glob: '*.js' })).toBe('src/b.js\n1:const Needle = 1;');
    expect(await search({ limit: 2 })).toBe(
      'keep.log\n1:needle\nsrc/a.ts\n2:needle here\n[first 2 results shown; there are more: continue with offset: 2]',
    );
    expect(await search({ limit: 1, offset: 1 })).toBe(
      'src/a.ts\n2:needle here\n[result 2 shown; there are more: continue with offset: 2]',
    );
    expect(await search({ limit: 2, offset: 2 })).toBe('src/a.ts\n4:needle again\nsrc/inner/c.ts\n1:needle');
    expect(await search({ pattern: 'nothing like it' })).toBe('No matches.');
    expect(await search({ pattern: 'needle()' })).not.toContain('No matches.');
    expect(await search({ pattern: 'run(it)' })).toBe(
      'No matches.\n[the pattern is a regular expression: to match a literal `(`, write `\\(`]',
    );
  });

  it('searches an ignored directory that is named', async () => {
    await using fixture = await project();
    expect((await fixture.run('search_files', { pattern: 'needle', path: 'dist' })).content).toBe(
      'dist/out.ts\n1:needle',
    );
    expect((await fixture.run('search_files', { pattern: 'needle', path: 'node_modules/x' })).content).toContain(
      '1:needle',
    );
    expect((await fixture.run('search_files', { pattern: 'needle', path: 'src/inner' })).content).toBe(
      'src/inner/c.ts\n1:needle',
    );
  });

  verifies('TOOL-7', 'aborts a pattern with catastrophic backtracking without blocking', fullDoseOnly, async () => {
    await using fixture = await project();
    await fixture.put('trap.txt', `${'a'.repeat(200)}!`);
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    const trap = await fixture.run('search_files', { pattern: '^(a+)+$', path: 'trap.txt' });
    clearInterval(timer);
    expect(errorOf(trap)).toContain('too long to match');
    expect(turns).toBeGreaterThan(20);
  });

  it('explains an invalid pattern and a missing path', async () => {
    await using fixture = await project();
    const failure = async (pattern: string) => errorOf(await fixture.run('search_files', { pattern }));
    expect(await failure('(')).toMatch(/not a valid regular expression: .*To match a literal `\(`, write `\\\(`\.$/);
    expect(await failure('a)')).toMatch(/To match a literal `\)`, write `\\\)`\.$/);
    expect(await failure('+1')).toMatch(/To match a literal `\+`, write `\\\+`\.$/);
    expect(await failure('[a')).toMatch(/To match a literal `\[`, write `\\\[`\.$/);
    expect(await failure('a\\')).toMatch(/To match a literal `\\`, write `\\\\`\.$/);
    expect(errorOf(await fixture.run('search_files', { pattern: 'x', path: 'none' }))).toContain(
      'File or directory not found: none',
    );
  });

  it('stops when it is interrupted', async () => {
    await using fixture = await project();
    const outcome = await fixture.run('search_files', { pattern: 'x' }, AbortSignal.abort());
    expect(outcome.status).toBe('interrupted');
  });
});

describe('search_files for file names', () => {
  it('finds by glob or part of the name, newest first', async () => {
    await using fixture = await project();
    await utimes(join(fixture.folder, 'src/inner/c.ts'), 1000, 1000);
    await utimes(join(fixture.folder, 'src/a.ts'), 2000, 2000);
    const find = async (pattern: string) => (await fixture.run('search_files', { pattern, target: 'files' })).content;
    expect(await find('*.ts')).toBe('src/a.ts\nsrc/inner/c.ts');
    expect(await find('src/*.ts')).toBe('src/a.ts');
    expect(await find('**/*.ts')).toBe('src/a.ts\nsrc/inner/c.ts');
    expect(await find('eep')).toBe('keep.log');
    expect(await find('*.none')).toBe('No matches.');
    const named = await fixture.run('search_files', { pattern: '*.ts', target: 'files', path: 'src/a.ts' });
    expect(named.content).toBe('src/a.ts');
  });
});
