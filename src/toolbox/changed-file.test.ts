import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unifiedDiff } from './patching/line-diff.ts';
import { createToolFixture } from './tools.fixture.ts';

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');

describe('file change reports', () => {
  it('are sent for created, overwritten, changed, moved and deleted files', async () => {
    await using fixture = await createToolFixture();
    await fixture.run('write_file', { path: 'a.txt', content: 'one\ntwo\n' });
    await fixture.run('write_file', { path: 'a.txt', content: 'one\n2\n' });
    await fixture.run('patch', { path: 'a.txt', old_string: '2', new_string: 'two' });
    const patch = '*** Add File: b.txt\n+new\n*** Move File: a.txt -> c.txt\n';
    await fixture.run('patch', { mode: 'patch', patch: `*** Begin Patch\n${patch}*** End Patch` });
    await fixture.run('patch', { mode: 'patch', patch: '*** Begin Patch\n*** Delete File: b.txt\n*** End Patch' });
    expect(fixture.changes).toEqual([
      { path: 'a.txt', added: 2, removed: 0, diff: '@@ -0,0 +1,2 @@\n+one\n+two\n' },
      { path: 'a.txt', added: 1, removed: 1, diff: '@@ -1,2 +1,2 @@\n one\n-two\n+2\n' },
      { path: 'a.txt', added: 1, removed: 1, diff: '@@ -1,2 +1,2 @@\n one\n-2\n+two\n' },
      { path: 'b.txt', added: 1, removed: 0, diff: '@@ -0,0 +1,1 @@\n+new\n' },
      { path: 'c.txt', added: 2, removed: 0, diff: '@@ -0,0 +1,2 @@\n+one\n+two\n' },
      { path: 'a.txt', added: 0, removed: 2, diff: '@@ -1,2 +0,0 @@\n-one\n-two\n' },
      { path: 'b.txt', added: 0, removed: 1, diff: '@@ -1,1 +0,0 @@\n-new\n' },
    ]);
  });

  it('are not sent if nothing was written or the content cannot be compared by lines', async () => {
    await using fixture = await createToolFixture();
    await fixture.put('same.txt', 'same\n');
    await writeFile(join(fixture.folder, 'picture'), Buffer.from([0, 1, 2, 0, 255]));
    await fixture.run('write_file', { path: 'same.txt', content: 'same\n' });
    await fixture.run('patch', { path: 'same.txt', old_string: 'other', new_string: 'x' });
    await fixture.run('write_file', { path: 'picture', content: 'text' });
    await fixture.run('write_file', { path: 'large', content: 'x\n'.repeat(600_000) });
    expect(fixture.changes).toEqual([]);
  });

  it('contain no secrets and a limited number of lines', async () => {
    await using fixture = await createToolFixture();
    const secret = `sk-proj-${'a1B2c3D4'.repeat(6)}`;
    await fixture.run('write_file', { path: '.env.example', content: `KEY=${secret}\n` });
    await fixture.run('write_file', { path: 'long.txt', content: numbered(1000) });
    expect(fixture.changes[0]?.diff).toMatch(/^@@ -0,0 \+1,1 @@\n\+KEY=/);
    expect(fixture.changes[0]?.diff).not.toContain(secret);
    expect(fixture.changes[1]).toMatchObject({ added: 1000, omitted: 601 });
    expect(fixture.changes[1]?.diff.split('\n')).toHaveLength(401);
  });
});

describe('unifiedDiff', () => {
  it('put distant changes into separate hunks', () => {
    const before = numbered(30);
    const after = before.replace('line 5\n', 'five\n').replace('line 9\n', 'nine\n').replace('line 28\n', '');
    expect(unifiedDiff(before, after, 99).diff.match(/^@@.*$/gm)).toEqual(['@@ -2,11 +2,11 @@', '@@ -25,6 +25,5 @@']);
  });

  it('contain a diff that turns the old text into the new one', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', '', ' d'))
      .map((lines) => lines.map((line) => `${line}\n`).join(''));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const { diff, added, removed } = unifiedDiff(before, after, 10_000);
        const kept = (sign: string) =>
          diff.split('\n').flatMap((line) => (line.startsWith(' ') || line.startsWith(sign) ? [line.slice(1)] : []));
        // Lines outside the hunks are equal, so the hunks must account for every difference.
        expect(kept('+').length - kept('-').length).toBe(after.split('\n').length - before.split('\n').length);
        expect(added - removed).toBe(kept('+').length - kept('-').length);
        expect(diff === '').toBe(before === after);
      }),
    );
  });
});
