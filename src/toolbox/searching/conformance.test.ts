import { chmod, mkdir, symlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import type { JsonObject } from '../../base/index.ts';
import type { Environment } from '../../contracts/index.ts';
import { createToolFixture } from '../tools.fixture.ts';

type ToolFixture = Awaited<ReturnType<typeof createToolFixture>>;

/** Searches the same files with ripgrep and with our own engine. */
let ripgrep: ToolFixture;
let own: ToolFixture;
const commands: string[] = [];

const recording = (environment: Environment): Environment => ({
  ...environment,
  run(command, options) {
    commands.push(command);
    return environment.run(command, options);
  },
});

/** A machine without ripgrep. */
const without = (environment: Environment): Environment => ({
  ...environment,
  name: 'elsewhere',
  run: (_command, options) => environment.run('exit 127', options),
});

const FILES: Record<string, string | Uint8Array> = {
  '.git/HEAD': 'needle',
  '.gitignore': '# comment\n/dist/\n*.log\n!keep.log\nbuild*/**\nsub/only-here.txt\n',
  '.ignore': 'ignored-by-ignore.txt\n!wanted.log\n',
  'a.ts': 'needle one\r\nsecond needle\r\nNEEDLE\r\n',
  'a/z.ts': 'const needle = { a: 1 };\nif (x) {\n  needle();\n}\n',
  'a/.hidden.ts': 'needle\n',
  'a-b.ts': 'needle-b\n',
  'B.TS': 'needle upper\n',
  'é.txt': 'ünïcode needle\nstraße 42\n٣ digits\n',
  'bom.txt': '\uFEFFneedle after mark\n',
  'utf16.txt': new Uint8Array([0xff, 0xfe, ...Buffer.from('needle wide\n', 'utf16le')]),
  'latin.txt': new Uint8Array([...Buffer.from('needle '), 0xe9, 0x0a]),
  'late-nul.bin': `needle\n${'x'.repeat(200_000)}\0`,
  'data.bin': new Uint8Array([0, ...Buffer.from('needle')]),
  'empty.txt': '',
  'no-newline.txt': 'first\nneedle',
  'blank.txt': '\n\n \nneedle\n\n',
  'wanted.log': 'needle\n',
  'keep.log': 'needle\n',
  'debug.log': 'needle\n',
  'ignored-by-ignore.txt': 'needle\n',
  'dist/out.ts': 'needle\n',
  'sub/dist/out.ts': 'needle\n',
  'sub/only-here.txt': 'needle\n',
  'sub/.gitignore': '!debug.log\nsecret.*\n',
  'sub/debug.log': 'needle\n',
  'sub/secret.ts': 'needle\n',
  'sub/.rgignore': '!dist/\nrg-only.txt\n',
  'sub/rg-only.txt': 'needle\n',
  'build-1/x.ts': 'needle\n',
  'node_modules/x/index.ts': 'needle\n',
  'deep/node_modules/x/index.ts': 'needle\n',
  '.github/workflow.yml': 'needle\n',
  '.env': 'KEY=needle\n',
  'inner/.git/HEAD': 'x',
  'inner/debug.log': 'needle in another checkout\n',
  'big.txt': `needle\n${'y'.repeat(6 * 1024 * 1024)}\n`,
  'long.txt': `${'x'.repeat(3000)}needle${'z'.repeat(3000)}\n`,
};

async function fill(fixture: ToolFixture): Promise<void> {
  for (const [path, content] of Object.entries(FILES)) await fixture.put(path, content);
  for (const [index, path] of Object.keys(FILES).entries()) {
    await utimes(join(fixture.folder, path), 1000 + (index % 7), 1000 + (index % 7));
  }
  await symlink(fixture.folder, join(fixture.folder, 'loop'));
  await symlink('a.ts', join(fixture.folder, 'link.ts'));
  await mkdir(join(fixture.folder, 'closed'));
  await chmod(join(fixture.folder, 'closed'), 0);
}

beforeAll(async () => {
  ripgrep = await createToolFixture({ adapt: recording });
  own = await createToolFixture({ adapt: without });
  await Promise.all([ripgrep, own].map(fill));
});
afterAll(() => Promise.all([ripgrep, own].map((fixture) => fixture[Symbol.asyncDispose]())));

async function both(args: JsonObject): Promise<string> {
  const [first, second] = await Promise.all([ripgrep, own].map((fixture) => fixture.run('search_files', args)));
  expect(second).toEqual(first);
  return first?.content ?? '';
}

describe('both search engines', () => {
  verifies('TOOL-5', 'find the same lines in the same order', async () => {
    const content = await both({ pattern: 'needle', limit: 200 });
    expect(commands.some((command) => command.includes('ripgrep'))).toBe(true);
    const paths = content.split('\n').filter((line) => !/^\d+[:-]/.test(line));
    expect(paths).toEqual([
      'B.TS',
      'a/z.ts',
      'a-b.ts',
      'a.ts',
      'blank.txt',
      'bom.txt',
      'inner/debug.log',
      'keep.log',
      'latin.txt',
      'long.txt',
      'no-newline.txt',
      'sub/debug.log',
      'sub/dist/out.ts',
      'utf16.txt',
      'wanted.log',
      'é.txt',
    ]);
  });

  it.each<JsonObject>([
    { pattern: 'needle', output_mode: 'count', limit: 100 },
    { pattern: 'needle', output_mode: 'files_only', limit: 5, offset: 3 },
    { pattern: 'needle', context: 2, limit: 100 },
    { pattern: 'needle', limit: 3, offset: 4 },
    { pattern: 'needle', offset: 1000 },
    { pattern: 'needle', file_glob: '*.ts' },
    { pattern: 'needle', file_glob: '*.{ts,log}' },
    { pattern: 'needle', file_glob: '*.TS' },
    { pattern: 'needle', file_glob: 'sub/**' },
    { pattern: 'needle', file_glob: '.*' },
    { pattern: 'needle', file_glob: '.github/**' },
    { pattern: 'needle', file_glob: '!*.ts' },
    { pattern: 'needle', path: 'dist' },
    { pattern: 'needle', path: 'sub' },
    { pattern: 'needle', path: 'build-1' },
    { pattern: 'needle', path: 'node_modules' },
    { pattern: 'needle', path: '.github' },
    { pattern: 'needle', path: 'inner' },
    { pattern: 'needle', path: 'closed' },
    { pattern: '^needle' },
    { pattern: 'needle$' },
    { pattern: '^$' },
    { pattern: '(?i)^NEEDLE' },
    { pattern: '\\bneedle\\b' },
    { pattern: '\\<n\\w+e\\>' },
    { pattern: 'ü\\w+ode' },
    { pattern: '\\d' },
    { pattern: 'stra.e' },
    { pattern: 'needle = {' },
    { pattern: 'if (x) {' },
    { pattern: 'if \\(x\\) {' },
    { pattern: 'needle}' },
    { pattern: '[[:upper:]]{3,}' },
    { pattern: '[^[]needle' },
    { pattern: '[\\w-]+b' },
    { pattern: '(?P<word>need)le' },
    { pattern: '(?<=second )needle' },
    { pattern: '(e)\\1dle' },
    { pattern: 'x{3000}n' },
    { pattern: '(' },
    { pattern: '[' },
    { pattern: 'a\\nb' },
    { pattern: '*.ts', target: 'files' },
    { pattern: '*', target: 'files', limit: 200 },
    { pattern: '**/*.log', target: 'files' },
    { pattern: 'DEBUG', target: 'files' },
    { pattern: '.env*', target: 'files' },
    { pattern: '*', target: 'files', path: 'sub', file_glob: '*.ts' },
  ])('give the same result for %j', async (args) => {
    const answer = await both(args);
    expect(answer).not.toBe('');
  });

  it('interpret every pattern alike', async () => {
    const atom = fc.constantFrom(
      'a',
      'b',
      'é',
      '.',
      '\\w',
      '\\d',
      '\\s',
      '\\.',
      '\\-',
      '\\"',
      '[ab]',
      '[^a]',
      '[\\w.-]',
      '{',
      '}',
      ']',
      '-',
      '&',
      '#',
      ' ',
      '\\b',
      '[a&&b]',
      '[]a]',
      '[a~~b]',
      '(a|b)',
      '(?:é)',
    );
    const piece = fc.tuple(atom, fc.constantFrom('', '', '', '+', '*', '?', '{2}', '{1,2}', '{,2}'));
    const pattern = fc
      .array(piece, { minLength: 1, maxLength: 5 })
      .map((pieces) => pieces.map((p) => p.join('')).join(''));
    const text = fc.array(
      fc.string({
        unit: fc.constantFrom('a', 'b', 'é', '1', ' ', '.', '-', '"', '{', '}', ']', '&', '#', '~', '_'),
        maxLength: 6,
      }),
      { maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(pattern, text, async (source, lines) => {
        await Promise.all([ripgrep, own].map((fixture) => fixture.put('random/r.txt', lines.join('\n'))));
        await both({ pattern: source, path: 'random' });
      }),
      { numRuns: 100 },
    );
  });
});
