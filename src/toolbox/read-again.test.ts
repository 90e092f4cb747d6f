import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dose } from '../../test/support/dose.ts';
import { verifies } from '../../test/spec/verifies.ts';
import { createToolFixture, type ToolFixtureOptions } from './tools.fixture.ts';

const lines = (count: number) => Array.from({ length: count }, (_, index) => `const line${index + 1} = ${index + 1};`);
const textOf = (each: readonly string[]) => each.map((line) => `${line}\n`).join('');

async function createReader(options: ToolFixtureOptions = {}) {
  const fixture = await createToolFixture(options);
  await fixture.put('a.txt', textOf(lines(100)));
  const read = async (args = {}) => (await fixture.run('read_file', { path: 'a.txt', ...args })).content;
  const patch = (line: number, text: string) =>
    fixture.run('patch', { path: 'a.txt', old_string: `const line${line} = ${line};`, new_string: text });
  return { fixture, read, patch, [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose]() };
}

const CHANGED =
  '[a.txt has changed. This is the diff to the earlier result that shows the whole file; all other lines are unchanged. The file has 101 lines now. To read all of it again, set limit to 101.]';

describe('a file that is read again after a change', () => {
  verifies('TOOL-5', 'is shown as the difference to the earlier result', async () => {
    await using reader = await createReader();
    const { read, patch } = reader;
    const whole = await read();
    await patch(50, 'const fifty = 50;\nconst more = 1;');
    const difference = await read();
    expect(difference).toBe(
      [
        CHANGED,
        '@@ -47,7 +47,8 @@',
        ' const line47 = 47;',
        ' const line48 = 48;',
        ' const line49 = 49;',
        '-const line50 = 50;',
        '+const fifty = 50;',
        '+const more = 1;',
        ' const line51 = 51;',
        ' const line52 = 52;',
        ' const line53 = 53;',
      ].join('\n'),
    );
    expect(difference.length).toBeLessThan(whole.length / 4);
    expect(await read()).toContain('has not changed since you last read');
    // The way to the whole text that the difference names.
    expect(await read({ limit: 101 })).toMatch(/^1\|const line1 = 1;\n[^]*\n101\|const line100 = 100;$/);
  });

  verifies('TOOL-5', 'shows all changes since the whole text, by whatever program', async () => {
    await using reader = await createReader();
    const { read, patch, fixture } = reader;
    await read();
    await patch(10, 'const ten = 10;');
    expect(await read()).toContain('+const ten = 10;');
    await fixture.run('terminal', { command: "sed -i 's/line90 = 90/ninety = 90/' a.txt" });
    const second = await read();
    expect(second).toContain('+const ten = 10;');
    expect(second).toContain('+const ninety = 90;');
    await fixture.run('write_file', { path: 'a.txt', content: textOf(lines(99)) });
    expect(await read()).toMatch(/has changed\.[^]*\n-const line100 = 100;$/);
  });

  verifies('TOOL-5', 'is shown in full if little of it is the same, or if it is short', async () => {
    await using reader = await createReader();
    const { read, fixture } = reader;
    await read();
    await fixture.put('a.txt', textOf(lines(100).map((line) => `${line} // new`)));
    expect(await read()).toContain('1|const line1 = 1; // new');
    await fixture.put('a.txt', 'one\ntwo\n');
    expect(await read()).toBe('1|one\n2|two');
    await fixture.put('a.txt', 'one\nTWO\n');
    expect(await read()).toBe('1|one\n2|TWO');
  });

  verifies('CTX-11', 'is shown in full if the earlier result is gone, or no longer complete', async () => {
    await using reader = await createReader();
    const { read, patch, fixture } = reader;
    const whole = await read();
    const [id = ''] = fixture.results.keys();
    const changes = ['const a = 1;', 'const b = 1;', 'const c = 1;'];
    // Removed, truncated in the middle, and shortened at the end.
    const cuts = [
      undefined,
      `${whole.slice(0, 900)}\n[… 700 characters omitted …]\n${whole.slice(-400)}`,
      whole.slice(0, 900),
    ];
    for (const [index, cut] of cuts.entries()) {
      if (cut === undefined) fixture.results.delete(id);
      else fixture.results.set(id, cut);
      await patch(20 + index, changes[index] as string);
      const again = await read();
      expect(again).toContain('1|const line1 = 1;\n');
      expect(again).toContain('100|const line100 = 100;');
      for (const file of fixture.state.seenFiles?.values() ?? [])
        for (const [range, shown] of file.shown) file.shown.set(range, { ...shown, callIds: [id] });
    }
  });

  verifies('CTX-11', 'is not called unchanged if a result on which that depends was shortened', async () => {
    await using reader = await createReader();
    const { read, patch, fixture } = reader;
    const whole = await read();
    await patch(5, 'const five = 5;');
    const difference = await read();
    expect(difference).toContain('+const five = 5;');
    const clear = (content: string) => {
      for (const [id, each] of fixture.results) if (each === content) fixture.results.set(id, '[cleared]');
    };
    clear(difference);
    expect(await read()).toBe(difference);
    clear(whole);
    expect(await read()).toContain('100|const line100 = 100;');
  });

  it('is shown in full for a part of it, a truncated line, and a file that does not fit', async () => {
    await using reader = await createReader({ contextLength: 16_000 });
    const { read, patch, fixture } = reader;
    await read({ offset: 2 });
    await read({ limit: 60 });
    await patch(30, 'const thirty = 30;');
    expect(await read({ offset: 2 })).toContain('30|const thirty = 30;');
    expect(await read({ limit: 60 })).toMatch(/^1\|[^]*\n30\|const thirty = 30;\n[^]*\n\[lines 1–60 of 100/);
    for (const content of [textOf(['x'.repeat(3000), ...lines(50)]), textOf(lines(1500))]) {
      await fixture.put('a.txt', content);
      await read();
      await patch(7, 'const seven = 7;');
      expect(await read()).toContain('|const seven = 7;');
    }
  });

  it('finds the file among several in the earlier result, also under another path', async () => {
    await using reader = await createReader();
    const { read, patch, fixture } = reader;
    await fixture.put('b.txt', textOf(lines(120).map((line) => `${line} // b`)));
    await symlink('a.txt', join(fixture.folder, 'link.txt'));
    await read({ path: ['b.txt', 'link.txt', 'nope.txt'] });
    await patch(40, 'const forty = 40;');
    expect(await read()).toMatch(/has changed[^]*\n-const line40 = 40;\n\+const forty = 40;\n/);
    expect(await read({ path: ['a.txt', 'b.txt'] })).toMatch(
      /^==> a.txt <==\na.txt has not[^]*==> b.txt <==\nb.txt has not/,
    );
    await patch(41, 'const x = 41;');
    expect(await read({ path: ['b.txt', 'a.txt'] })).toMatch(/==> a.txt <==\n\[a.txt has changed[^]*\+const x = 41;/);
  });

  it('compares what the model saw, so that a masked secret is never shown', async () => {
    await using reader = await createReader();
    const { read, fixture } = reader;
    const key = (letter: string) => `API_KEY=sk-proj-${letter.repeat(40)}`;
    await fixture.put('a.txt', textOf([key('a'), ...lines(100)]));
    const first = await read();
    expect(first).not.toContain('aaaaaaaa');
    expect(await read()).toContain('has not changed');
    await fixture.put('a.txt', textOf([key('b'), ...lines(99)]));
    const second = await read();
    expect(second).toContain('has changed');
    expect(second).not.toMatch(/bbbbbbbb|^[-+]API_KEY/m);
  });

  verifies('TOOL-5', 'gives the present text when the differences are applied to the first result', async () => {
    await using reader = await createReader();
    const { read, fixture } = reader;
    const line = fc.constantFrom('alpha', 'beta', '', '  gamma', '1|delta', '@@ -1,2 +3,4 @@', '==> a.txt <==');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat({ max: 100 }), line), { maxLength: 5 }), async (edits) => {
        for (const file of fixture.state.seenFiles?.values() ?? []) file.shown.clear();
        await fixture.put('a.txt', textOf(lines(100)));
        await read();
        const changed = lines(100);
        for (const [at, text] of edits) changed.splice(at, at % 2, text);
        await fixture.put('a.txt', textOf(changed));
        const result = await read();
        if (edits.length > 0 && result.includes('has changed')) {
          expect(applyHunks(lines(100), result.split('\n').slice(1))).toEqual(changed);
        } else if (!result.includes('has not changed')) {
          expect(result).toBe(changed.map((each, index) => `${index + 1}|${each}`).join('\n'));
        } else expect(changed).toEqual(lines(100));
      }),
      { numRuns: dose(60, 600) },
    );
  });
});

/** Applies a unified diff as its format says. */
function applyHunks(old: readonly string[], diff: readonly string[]): string[] {
  const result: string[] = [];
  let at = 0;
  let left = 0;
  for (const line of diff) {
    const header = left === 0 ? /^@@ -(\d+),(\d+) \+\d+,(\d+) @@$/.exec(line) : null;
    if (header) {
      const [, start, removed, added] = header.map(Number) as [number, number, number, number];
      while (at < start - 1) result.push(old[at++] as string);
      left = removed + added;
      continue;
    }
    if (line.startsWith('+')) result.push(line.slice(1));
    else {
      expect(line.slice(1)).toBe(old[at]);
      if (line.startsWith(' ')) result.push(old[at] as string);
      at += 1;
    }
    left -= line.startsWith(' ') ? 2 : 1;
  }
  return [...result, ...old.slice(at)];
}
