import { describe, expect, it } from 'vitest';
import type { InteractionRequest } from '../../../base/index.ts';
import type { PickItem, PickRequest } from '../../slash/index.ts';
import { openTestScreen } from './screen.test-helper.ts';

const [UP, DOWN, PAGE_DOWN, END, ENTER, ESC] = ['\u001b[A', '\u001b[B', '\u001b[6~', '\u001b[F', '\r', '\u001b'];
const numbered = (count: number): PickItem[] =>
  Array.from({ length: count }, (_, index) => ({ value: `${index}`, label: `item ${index}` }));

/** Opens a list on a screen, which is drawn after each key. */
async function open(request: Partial<PickRequest>, size = { columns: 60, rows: 16 }) {
  const test = openTestScreen({ size });
  const chosen = test.screen.pick?.({ title: 'Fruit', items: [], ...request });
  await test.look();
  return {
    ...test,
    chosen,
    async keys(...keys: string[]) {
      for (const key of keys) test.press(key);
      return test.look();
    },
  };
}

const FRUIT: PickItem[] = [
  { value: 'apple', label: 'Apple', about: 'grows on trees', note: '$1' },
  { value: 'berry', label: 'Blueberry', about: 'grows on bushes', note: '$10', keywords: 'small' },
  { value: 'pine', label: 'Pineapple', about: 'grows on the ground' },
];
const selected = (lines: readonly string[]) =>
  lines
    .find((line) => line.startsWith('❯ '))
    ?.slice(2)
    .trim();

describe('a list to select from', () => {
  it('selects nothing from the results of an earlier search, and nothing after a failed one', async () => {
    const searches: PromiseWithResolvers<readonly PickItem[]>[] = [];
    const search = () => {
      const next = Promise.withResolvers<readonly PickItem[]>();
      searches.push(next);
      return next.promise;
    };
    const { keys, look, chosen } = await open({ items: FRUIT, search });
    await keys('p', ENTER);
    searches[0]?.reject(new Error('the search failed'));
    await new Promise(setImmediate);
    expect(selected(await keys(ENTER))).toBeUndefined();
    await keys('i');
    searches[1]?.resolve(FRUIT.slice(2));
    await new Promise(setImmediate);
    expect(selected(await look())).toContain('Pineapple');
    await keys(ENTER);
    expect(await chosen).toBe('pine');
  });

  it('shows columns, the position and the keys, and returns the selected value', async () => {
    const { keys, look, chosen } = await open({ items: FRUIT, current: 'berry' });
    expect(await look()).toEqual([
      'Fruit  2/3',
      'search:',
      '  Apple      grows on trees                               $1',
      '❯ Blueberry  grows on bushes                             $10',
      '  Pineapple  grows on the ground',
      '↑↓ select · type to search · Enter choose · Esc cancel',
    ]);
    expect(selected(await keys(DOWN))).toContain('Pineapple');
    // A step beyond the end continues at the beginning.
    expect(selected(await keys(DOWN))).toContain('Apple');
    await keys(UP, ENTER);
    expect(await chosen).toBe('pine');
    expect(await look()).toEqual(['❯']);
  });

  it('searches all words while typing; labels come first, and Esc clears the search before it cancels', async () => {
    const { keys, chosen } = await open({ items: FRUIT });
    const found = (await keys(...'apple')).filter((line) => / {2}grows/.test(line));
    expect(found.map((line) => line.slice(2).split(' ')[0])).toEqual(['Apple', 'Pineapple']);
    expect(selected(await keys(ESC, ...'grows small'))).toContain('Blueberry');
    expect(await keys(...'x')).toContain('  No matches. Esc clears the search.');
    expect(await keys('\u0015', ...'b', '\u007f')).toContain('search:');
    await keys(ESC);
    expect(await chosen).toBeUndefined();
  });

  it('keeps the selection visible in a long list', async () => {
    const { keys, chosen } = await open({ items: numbered(100) });
    expect(await keys(PAGE_DOWN)).toContain('❯ item 7');
    const last = await keys(END);
    expect(last.slice(0, 3)).toEqual(['Fruit  100/100', 'search:', '  item 93']);
    expect(await keys('\u001b[H')).toContain('❯ item 0');
    await keys('\u0003');
    expect(await chosen).toBeUndefined();
  });

  it('fits into small windows and counts wide characters', async () => {
    const items = [{ value: '1', label: '日本語日本語日本語日本語', about: '漢字', note: '12 h' }, ...numbered(3)];
    for (const columns of [9, 16, 30]) {
      const { keys } = await open({ items }, { columns, rows: 5 });
      const lines = await keys(...'日本');
      expect(lines.length).toBeLessThan(5);
      expect(selected(lines)).toMatch(/^日/);
    }
  });

  it('shows the complete list when it arrives, with the search and the selection kept', async () => {
    const complete = Promise.withResolvers<readonly PickItem[]>();
    const { keys, look } = await open({ items: numbered(20), complete: complete.promise });
    expect((await keys(...'1', DOWN))[0]).toBe('Fruit  2/11 · loading more…');
    complete.resolve([{ value: 'new', label: 'new 1' }, ...numbered(20)]);
    const lines = await look();
    expect(lines[0]).toBe('Fruit  3/12');
    expect(selected(lines)).toBe('item 10');
  });

  it('searches a list that is not loaded, and ignores outdated results', async () => {
    const searches = new Map<string, (found: readonly PickItem[]) => void>();
    const search = (query: string) => new Promise<readonly PickItem[]>((resolve) => searches.set(query, resolve));
    const { keys, look } = await open({ items: FRUIT, search });
    await keys(...'pl');
    searches.get('pl')?.([{ value: 'plum', label: 'Plum' }]);
    expect(selected(await look())).toBe('Plum');
    searches.get('p')?.([{ value: 'pear', label: 'Pear' }]);
    expect(selected(await look())).toBe('Plum');
    expect(selected(await keys(ESC))).toContain('Apple');
  });

  it('shows the details of the selected item in rows that do not move', async () => {
    const items = [{ value: 'a', label: 'a', detail: 'long '.repeat(60) }, ...numbered(1)];
    const { keys, look } = await open({ items });
    const before = await look();
    expect(before[4]).toMatch(/^ {2}long /);
    const after = await keys(DOWN);
    expect(after.indexOf('↑↓ select · type to search · Enter choose · Esc cancel')).toBe(before.length - 1);
  });

  it('takes pasted text as a search, and never draws escape sequences', async () => {
    const { keys } = await open({ items: [{ value: 'x', label: 'one\u001b[31m two\u0007' }] });
    expect(await keys('\u001b[200~one\ntwo\u001b[201~')).toContain('search: one two');
    expect(selected(await keys('\u001b[15~'))).toBe('one two␇');
  });

  it('gives way to a question and returns after it', async () => {
    const { screen, keys, look, seen } = await open({ items: FRUIT });
    const request: InteractionRequest = { kind: 'clarify', question: 'Which one?', choices: [] };
    screen.ask(request);
    expect((await keys(...'no', ENTER)).join('\n')).not.toContain('Blueberry');
    expect(seen).toContainEqual(['lines', 'no']);
    screen.closeQuestion(request, false);
    expect((await look()).join('\n')).toContain('Blueberry');
  });
});
