import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { HermesError } from '../../base/index.ts';
import { createSkillHome } from '../skills.fixture.ts';
import { tarball } from './tarball.fixture.ts';
import { extractTarball } from './fetch-npm.ts';

/** A path that is both a file and a folder is rejected by the file system. */
async function outcomeOf(task: () => Promise<void>): Promise<'done' | 'refused' | 'fault'> {
  try {
    await task();
    return 'done';
  } catch (thrown) {
    const isFileError = typeof (thrown as NodeJS.ErrnoException).code === 'string';
    return thrown instanceof HermesError || isFileError ? 'refused' : 'fault';
  }
}

describe('unpacking a package', () => {
  it('extracts regular files, also with long names', async () => {
    const { root } = createSkillHome();
    const long = `package/references/${'long/'.repeat(25)}a.md`;
    const record = `path=${long}\n`;
    const length = record.length + 4;
    await extractTarball(
      tarball([
        { path: 'package/SKILL.md', content: 'hello' },
        { path: 'package/folder/', type: '5' },
        { path: 'PaxHeader', type: 'x', content: `${length} ${record}` },
        { path: 'cut', content: 'deep' },
        { path: 'package/b.md', content: 'b' },
      ]),
      root,
    );
    expect(readFileSync(join(root, 'SKILL.md'), 'utf8')).toBe('hello');
    expect(readFileSync(join(root, long.slice('package/'.length)), 'utf8')).toBe('deep');
    expect(readFileSync(join(root, 'b.md'), 'utf8')).toBe('b');
  });

  verifies('SURF-10', 'extracts nothing outside the folder', async () => {
    const { root, put } = createSkillHome();
    put('inside/x', '');
    const inside = join(root, 'inside');
    const bad = [
      tarball([{ path: 'package/../../evil', content: 'x' }]),
      tarball([{ path: '/etc/evil', content: 'x' }]),
      tarball([{ path: 'package/..\\..\\evil', content: 'x' }]),
      tarball([{ path: 'package/link', type: '2' }]),
      tarball([{ path: 'package/hard', type: '1' }]),
      tarball([{ path: 'package', content: 'x' }]),
      tarball([{ path: 'package/a', content: 'x', size: 'zzzzzzzzzzz\0' }]),
      tarball([{ path: 'package/a', content: 'x', size: '77777777777\0' }]),
      Buffer.from('no tarball at all'),
    ];
    for (const bytes of bad) await expect(extractTarball(bytes, inside)).rejects.toThrow(/cannot be extracted/);
    expect(readdirSync(inside)).toEqual(['x']);
    expect(existsSync(join(root, 'evil'))).toBe(false);
  });

  it.each([
    ['a file and a folder', [{ path: 'package/a' }, { path: 'package/a/b' }]],
    ['a folder and a file', [{ path: 'package/a/b' }, { path: 'package/a' }]],
    ['too long', [{ path: 'x', type: 'L', content: `package/${'n'.repeat(400)}` }, { path: 'package/y' }]],
  ])('rejects a name that is %s', async (_, entries) => {
    const { root } = createSkillHome();
    const unpacked = extractTarball(tarball(entries), join(root, 'inside'));
    await expect(unpacked).rejects.toThrow(/cannot be extracted: .* cannot be written/);
  });

  it('extracts or rejects any sequence of bytes', async () => {
    const { root } = createSkillHome();
    const folder = join(root, 'deep/er/inside');
    const path = fc.oneof(
      fc.constantFrom('package/a', 'package/../b', '../../c', 'package//d', '/e'),
      fc.string({ maxLength: 30 }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ path, content: fc.string(), type: fc.constantFrom('0', '5', 'x', 'L', 'g', '2') }), {
          maxLength: 4,
        }),
        async (entries) => {
          expect(await outcomeOf(() => extractTarball(tarball(entries), folder))).not.toBe('fault');
          expect(readdirSync(root).filter((name) => !['home', 'project', 'deep'].includes(name))).toEqual([]);
        },
      ),
      { numRuns: 200 },
    );
  });
});
