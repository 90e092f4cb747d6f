import { writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createCompletionProvider, listFiles, parseTyped } from './completion.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hermes-completion-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const completions = {
  commands: async () => [{ value: 'model', about: 'show the model' }, { value: 'compress' }],
  completeArgument: async (command: string, typed: string) => [{ value: `${command}:${typed}` }],
};

async function offer(line: string, force = false) {
  const provider = createCompletionProvider({ workingDirectory: folder, completions });
  const { signal } = new AbortController();
  const offered = await provider.getSuggestions([line], 0, line.length, { signal, force });
  const [first] = offered?.items ?? [];
  const applied = first && provider.applyCompletion([line], 0, line.length, first, offered?.prefix ?? '');
  return { values: offered?.items.map(({ value }) => value) ?? [], line: applied?.lines[0] };
}

it('completes commands and their arguments', async () => {
  expect(await offer('/')).toMatchObject({ values: ['/model ', '/compress '] });
  expect(await offer('/mo')).toEqual({ values: ['/model '], line: '/model ' });
  expect(await offer('/cmprs')).toEqual({ values: ['/compress '], line: '/compress ' });
  expect(await offer('/model gpt 4')).toEqual({ values: ['model:gpt 4'], line: '/model model:gpt 4' });
  expect((await offer('/etc/hosts')).values).toEqual([]);
});

it('completes files that .gitignore does not exclude, and quotes names with spaces', async () => {
  await mkdir(join(folder, 'src', 'deep'), { recursive: true });
  await mkdir(join(folder, 'dist'));
  await mkdir(join(folder, '.git'));
  const files = [
    '.gitignore',
    'read me.md',
    'src/main.ts',
    'src/main.log',
    'src/deep/deepest.ts',
    'dist/out.js',
    '.git/x',
  ];
  for (const file of files) await writeFile(join(folder, file), file === '.gitignore' ? 'dist/\n*.log\n' : '');
  expect((await offer('look at @')).values).toEqual([
    '@.gitignore ',
    '@"read me.md" ',
    '@src/',
    '@src/deep/',
    '@src/main.ts ',
    '@src/deep/deepest.ts ',
  ]);
  expect((await offer('look at @src/ma')).line).toBe('look at @src/main.ts ');
  expect((await offer('look at @"read')).line).toBe('look at @"read me.md" ');
  expect((await offer('deepest', true)).line).toBe('src/deep/deepest.ts ');
  expect((await offer('deepest')).values).toEqual([]);
});

it('omits files whose names cannot be typed', async () => {
  for (const name of ['plain', 'two\nlines', 'title\u001b]0;x\u0007', 'late\u009b2J'])
    await writeFile(join(folder, name), '');
  expect((await offer('@')).values).toEqual(['@plain ']);
});

it('reads .gitignore only from regular files, and limits the number of scanned names', async () => {
  await mkdir(join(folder, 'many'));
  await symlink('/dev/zero', join(folder, '.gitignore'));
  for (let index = 0; index < 1100; index += 1) writeFileSync(join(folder, 'many', `${index}`), '');
  expect(await listFiles(folder)).toHaveLength(1102);
  expect(await listFiles(folder, undefined, 1000)).toHaveLength(1000);
});

it('accepts any line', async () => {
  fc.assert(
    fc.property(fc.string(), fc.boolean(), (line, force) => {
      const typed = parseTyped(line, true, force);
      expect(typed === undefined || line.endsWith(typed.prefix)).toBe(true);
    }),
  );
});
