import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CursorPosition, LivePart, PaintTarget, Reflow } from './canvas.ts';
import { createPainter } from './painter.ts';
import { createTestTerminal } from './screen.test-helper.ts';
import { waitUntil } from '../../../../test/support/wait-until.ts';

function open(columns = 20, rows = 8, reflow: Reflow = 'all') {
  const terminal = createTestTerminal({ columns, rows, reflow });
  let live: LivePart = { lines: [], cursor: undefined };
  const painter = createPainter(terminal, { compose: () => live, frameMs: 0, reflow });
  const setLive = (lines: readonly string[], cursor?: CursorPosition) => {
    live = { lines, cursor };
    painter.requestFrame();
  };
  return { terminal, painter: { ...painter, setLive } };
}

describe('createPainter', () => {
  it('draws the live part below the printed lines, with the cursor in it', async () => {
    const { terminal, painter } = open();
    painter.print(['one', 'two']);
    painter.setLive(['status', '❯ hi'], { row: 1, column: 4 });
    painter.flush();
    expect(await terminal.lines()).toEqual(['one', 'two', 'status', '❯ hi']);
    expect(await terminal.cursor()).toEqual({ row: 3, column: 4 });
  });

  it('rewrites only changed lines, in one synchronized frame', () => {
    const { terminal, painter } = open();
    painter.setLive(['status 1', '❯ hi'], { row: 1, column: 4 });
    painter.flush();
    const before = terminal.bytes().length;
    painter.setLive(['status 2', '❯ hi'], { row: 1, column: 4 });
    painter.flush();
    const bytes = terminal.bytes().slice(before);
    expect(bytes).toContain('status 2');
    expect(bytes).not.toContain('hi');
    expect(bytes.startsWith('\u001b[?2026h') && bytes.endsWith('\u001b[?2026l')).toBe(true);
  });

  it('never changes printed lines in the scroll-back', async () => {
    const line = fc.stringMatching(/^[a-zä漢🙂]{0,20}$/u);
    const step = fc.oneof(
      fc.record({ print: fc.array(line, { maxLength: 12 }) }),
      fc.record({ live: fc.array(line, { maxLength: 12 }), row: fc.nat(11) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const { terminal, painter } = open(40, 6);
        const printed: string[] = [];
        let live: string[] = [];
        for (const next of steps) {
          if ('print' in next) {
            printed.push(...next.print);
            painter.print(next.print);
          } else {
            live = next.live;
            painter.setLive(live, live.length === 0 ? undefined : { row: next.row % live.length, column: 0 });
          }
          painter.flush();
        }
        painter.release();
        const lines = await terminal.lines();
        expect(lines).toEqual(printed.slice(0, printed.findLastIndex((text) => text !== '') + 1));
      }),
      { numRuns: 60 },
    );
  });

  it('lets the terminal wrap printed lines, and truncates live lines', async () => {
    const { terminal, painter } = open(10, 8);
    painter.setLive(['0123456789abc', 'b'], { row: 1, column: 1 });
    painter.flush();
    expect(await terminal.lines()).toEqual(['012345678…', 'b']);
    painter.print(['a long finished line']);
    painter.flush();
    expect(await terminal.lines()).toEqual(['a long fin', 'ished line', '012345678…', 'b']);
  });

  it('prints an answer of any length', () => {
    let written = 0;
    const target = { columns: 80, rows: 24, write: (data: string) => void (written += data.length) };
    const painter = createPainter(target, { compose: () => ({ lines: [], cursor: undefined }) });
    painter.print(Array.from({ length: 300_000 }, () => 'a'));
    painter.flush();
    expect(written).toBeGreaterThan(300_000);
  });

  it('shows the end of a live part that is taller than the screen', async () => {
    const { terminal, painter } = open(10, 4);
    painter.print(['above']);
    painter.setLive(['1', '2', '3', '4', '5'], { row: 4, column: 1 });
    painter.flush();
    expect(await terminal.lines()).toEqual(['above', '3', '4', '5']);
  });

  it.each([12, 15, 30])('redraws correctly after a resize to %i columns', async (columns) => {
    const { terminal, painter } = open(20, 8);
    painter.print(['first finished', 'second']);
    painter.setLive(['a live line of 20 xx', 'status of 18 chars', '❯ typed'], { row: 2, column: 7 });
    painter.flush();
    await terminal.lines();
    terminal.resize(columns, 8);
    painter.resized();
    painter.setLive(['live', 'status', '❯ typed'], { row: 2, column: 7 });
    painter.flush();
    const wrapped = columns === 12 ? ['first finish', 'ed'] : ['first finished'];
    expect(await terminal.lines()).toEqual([...wrapped, 'second', 'live', 'status', '❯ typed']);
  });

  it.each<Reflow>(['all', 'all but the cursor line'])(
    'erases no finished line when the terminal re-wraps %s',
    async (reflow) => {
      const { terminal, painter } = open(40, 10, reflow);
      const finished = Array.from({ length: 20 }, (_, index) => `finished ${index}`);
      painter.print(finished);
      painter.setLive(['status of many words', `❯ ${'typed '.repeat(6)}`], { row: 1, column: 38 });
      painter.flush();
      for (const columns of [30, 15, 11, 25, 40]) {
        await terminal.lines();
        terminal.resize(columns, 10);
        painter.resized();
        painter.setLive(['status', '❯ typed'], { row: 1, column: 7 });
        painter.flush();
      }
      const lines = await terminal.lines();
      expect(lines.slice(0, 20)).toEqual(finished);
      expect(lines.slice(-2)).toEqual(['status', '❯ typed']);
    },
  );

  it('waits until a resize has ended, and erases nothing for the sizes in between', async () => {
    const { terminal, painter } = open(40, 10);
    const finished = Array.from({ length: 20 }, (_, index) => `finished ${index}`);
    painter.print(finished);
    painter.setLive(['a live line that is as wide as the window', '❯ typed'], { row: 1, column: 7 });
    painter.flush();
    // The program handles the resize to the narrow window only when the terminal is wide again.
    terminal.resize(10, 10);
    painter.resized();
    painter.setLive(['status', '❯ typed'], { row: 1, column: 7 });
    const before = terminal.bytes().length;
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(terminal.bytes().length).toBe(before);
    terminal.resize(40, 10);
    painter.resized();
    await waitUntil(async () => expect((await terminal.lines()).slice(-2)).toEqual(['status', '❯ typed']));
    expect((await terminal.lines()).slice(0, 20)).toEqual(finished);
  });

  it('draws no frame for an outdated size, even before the resize signal', async () => {
    const terminal = createTestTerminal({ columns: 40, rows: 10 });
    const target = Object.create(terminal, { measure: { value: () => terminal.columns < 40 && painter.resized() } });
    const live = { lines: ['a line that wraps in a narrow one', '❯'], cursor: { row: 1, column: 1 } };
    const painter = createPainter(target as PaintTarget, { compose: () => live, frameMs: 0 });
    painter.requestFrame();
    painter.flush();
    await terminal.lines();
    terminal.resize(20, 10);
    const before = terminal.bytes().length;
    painter.print(['finished']);
    painter.flush();
    expect(terminal.bytes().length).toBe(before);
  });

  it('releases the terminal to other programs and resumes below their output', async () => {
    const { terminal, painter } = open();
    painter.print(['one']);
    painter.setLive(['❯ hi'], { row: 0, column: 4 });
    painter.release();
    terminal.write('from a program\r\n');
    painter.setLive(['❯ ho'], { row: 0, column: 4 });
    painter.flush();
    expect(await terminal.lines()).toEqual(['one', 'from a program']);
    painter.resume();
    painter.flush();
    expect(await terminal.lines()).toEqual(['one', 'from a program', '❯ ho']);
  });
});
