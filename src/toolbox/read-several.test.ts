import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dose } from '../../test/support/dose.ts';
import { verifies } from '../../test/spec/verifies.ts';
import { createToolFixture, errorOf } from './tools.fixture.ts';

const PNG = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x02\0\0\0\x03', 'latin1');
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');

describe('read_file with several paths', () => {
  verifies('TOOL-5', 'shows each file below its path, and a missing one does not fail the others', async () => {
    await using fixture = await createToolFixture();
    await fixture.put('a.txt', 'one\ntwo\n');
    await fixture.put('b/c.txt', 'three\n');
    await fixture.put('empty.txt', '');
    const { status, content } = await fixture.run('read_file', {
      path: ['a.txt', 'nope.txt', 'b/c.txt', 'empty.txt', 'a.txt'],
    });
    expect(status).toBe('ok');
    expect(content.split('\n\n')).toEqual([
      '==> a.txt <==\n1|one\n2|two',
      expect.stringMatching(/^==> nope\.txt <==\nError: File not found: \S+nope\.txt\./),
      '==> b/c.txt <==\n1|three',
      '==> empty.txt <==\n(empty file)',
    ]);
    const failed = await fixture.run('read_file', { path: ['x', 'y'] });
    expect(failed.status).toBe('error');
    expect(errorOf(failed)).toMatch(/==> x <==\nError: File not found[^]*==> y <==\nError: File not found/);
  });

  verifies('TOOL-5', 'applies offset and limit to each file, and records each as seen', async () => {
    await using fixture = await createToolFixture();
    await fixture.put('a.txt', numbered(9));
    await fixture.put('b.txt', numbered(3));
    const page = { offset: 2, limit: 2 };
    expect((await fixture.run('read_file', { path: ['a.txt', 'b.txt'], ...page })).content).toBe(
      '==> a.txt <==\n2|line 2\n3|line 3\n[lines 2–3 of 9; continue with offset 4]\n\n==> b.txt <==\n2|line 2\n3|line 3',
    );
    expect((await fixture.run('read_file', { path: 'b.txt', ...page })).content).toContain('b.txt has not changed');
    expect((await fixture.run('read_file', { path: ['a.txt', 'b.txt'], offset: 5 })).content).toContain(
      '==> b.txt <==\nError: b.txt has 3 lines; offset 5 is past the end.',
    );
    const again = await fixture.run('read_file', { path: ['b.txt', 'a.txt'], ...page });
    expect(again.content).toContain('==> a.txt <==\na.txt has not changed');
  });

  verifies('TOOL-11', 'attaches the images among the files', async () => {
    await using fixture = await createToolFixture();
    await fixture.put('a.txt', 'one\n');
    await fixture.put('a.png', PNG);
    const { content, attachments } = await fixture.run('read_file', { path: ['a.png', 'a.txt', 'nope.png'] });
    expect(content).toContain('==> a.png <==\na.png is a PNG image of 2 × 3 pixels, 24 bytes; it is attached.');
    expect(content).toContain('==> a.txt <==\n1|one');
    expect(attachments).toEqual([{ kind: 'image', mediaType: 'image/png', name: 'a.png', bytes: PNG }]);
  });

  verifies('APPR-4', 'denies a protected file without withholding the others', async () => {
    await using fixture = await createToolFixture();
    await fixture.put('../home/.ssh/id_rsa', 'key\n');
    await fixture.put('a.txt', 'one\n');
    await symlink(join(fixture.home, '.ssh/id_rsa'), join(fixture.folder, 'innocent.txt'));
    const mixed = await fixture.run('read_file', { path: ['innocent.txt', 'a.txt'] });
    expect(mixed.content).toMatch(/^==> innocent\.txt <==\nError: (?!.*key)[^]*==> a\.txt <==\n1\|one$/);
    expect((await fixture.run('read_file', { path: ['innocent.txt', 'nope'] })).status).toBe('denied');
  });

  it('explains an empty list, an empty path and too many files', async () => {
    await using fixture = await createToolFixture();
    const failure = async (path: string[]) => errorOf(await fixture.run('read_file', { path }));
    expect(await failure([])).toContain('path must name a file');
    expect(await failure(['a', ''])).toContain('path must name a file');
    const many = Array.from({ length: 21 }, (_, index) => `f${index}`);
    expect(await failure(many)).toContain('reads at most 20 files, and path lists 21');
  });

  verifies('TOOL-5', 'shares the limit fairly: small files are complete, large ones are truncated alike', async () => {
    await using fixture = await createToolFixture({ contextLength: 16_000 });
    await fixture.put('small.txt', 'tiny\n');
    await fixture.put('a.txt', numbered(3000));
    await fixture.put('b.txt', numbered(2000));
    const { content } = await fixture.run('read_file', { path: ['a.txt', 'small.txt', 'b.txt'] });
    const [a = '', small, b = ''] = content.split('\n\n');
    expect(small).toBe('==> small.txt <==\n1|tiny');
    for (const [part, total] of [
      [a, 3000],
      [b, 2000],
    ] as const) {
      expect(part).toMatch(new RegExp(`\\[lines 1–\\d+ of ${total}; continue with offset \\d+\\]$`));
      expect(part.length).toBeGreaterThan(4000);
    }
    expect(content.length).toBeLessThanOrEqual(9600);
    expect(content).not.toContain('omitted');
    // What was truncated was not shown completely, so it is shown again.
    expect((await fixture.run('read_file', { path: 'b.txt' })).content).toContain('1|line 1\n');
  });

  verifies('TOOLX-6', 'never exceeds the limit of a result, and mentions every file', async () => {
    await using fixture = await createToolFixture({ contextLength: 8000 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ lines: fc.nat({ max: 900 }), width: fc.nat({ max: 3000 }) }), {
          minLength: 2,
          maxLength: 20,
        }),
        async (files) => {
          const paths = files.map((_, index) => `file-${index}.txt`);
          for (const [index, { lines, width }] of files.entries()) {
            await fixture.put(
              paths[index] as string,
              `${'x'.repeat(width)}\n`.repeat(Math.min(lines, 2e6 / (width + 1))),
            );
          }
          for (const file of fixture.state.seenFiles?.values() ?? []) file.shown.clear();
          const { content, status } = await fixture.run('read_file', { path: paths });
          expect(status).toBe('ok');
          expect(content.length).toBeLessThanOrEqual(4800);
          expect(content).not.toContain('omitted');
          for (const path of paths) expect(content).toContain(`==> ${path} <==\n`);
        },
      ),
      { numRuns: dose(15, 100) },
    );
  });

  it('gives a script the text of each file without line numbers', async () => {
    await using fixture = await createToolFixture({ code: {} });
    await fixture.put('a.txt', 'one\ntwo\n');
    await fixture.put('b.txt', 'three\nfour\n');
    const code = 'console.log(await tools.read_file({ path: ["a.txt", "b.txt"] }))';
    expect((await fixture.run('execute_code', { code })).content).toBe(
      '==> a.txt <==\none\ntwo\n\n==> b.txt <==\nthree\nfour',
    );
  });
});
