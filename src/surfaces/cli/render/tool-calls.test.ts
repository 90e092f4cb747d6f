import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ToolStatus } from '../../../base/index.ts';
import { stripAnsi } from '../../../util/index.ts';
import { textWidth } from '../../../util/text-width.ts';
import { printable } from '../style.ts';
import { createTheme } from './theme.ts';
import { renderToolEnd, renderToolStart } from './tool-calls.ts';

const plain = createTheme({ colours: 'none' });

const outputOf = (text: string) => ({ lines: printable(text).split('\n'), earlier: 2 });

function ended(name: string, args: object, content: string, status: ToolStatus = 'ok'): string {
  const call = { name, arguments: JSON.stringify(args), status, content, durationMs: 120 };
  return renderToolEnd(call, 100, plain).join('\n');
}

describe('renderToolEnd', () => {
  it('shows the main argument of each tool, and its result', () => {
    expect(ended('terminal', { command: 'npm  test\nls' }, 'a\nb\nc')).toBe('● terminal  npm test ls  ✓ 0.1s  3 lines');
    expect(ended('terminal', { command: 'echo hi' }, 'hi')).toBe('● terminal  echo hi  ✓ 0.1s  hi');
    expect(ended('terminal', { command: 'false' }, 'x\n[exit code 1]', 'error')).toBe(
      '● terminal  false  ✗ failed 0.1s  exit code 1',
    );
    for (const how of [
      'the command and its child processes were killed. Use a longer timeout (at most 600) or background: true',
      'its process tree was killed',
    ]) {
      const content = `x\n[timed out after 1 s; ${how}]\n[the command left a process running: pid 9]`;
      expect(ended('terminal', { command: 'make' }, content, 'error')).toContain('timed out after 1 s; ');
    }
    expect(ended('read_file', { path: 'a.ts', offset: 10, limit: 5 }, '10|a\n11|b')).toBe(
      '● read_file  a.ts:10-14  ✓ 0.1s  2 lines',
    );
    expect(ended('search_files', { pattern: 'x+', path: 'src' }, 'a.ts\n3:xx\n9:x')).toBe(
      '● search_files  x+ in src  ✓ 0.1s  2 matches',
    );
    expect(ended('patch', { mode: 'patch', patch: '*** Update File: a\n*** Add File: b\n' }, 'ok')).toContain('a, b');
    expect(ended('process', { action: 'kill', session_id: 'proc_1' }, 'ok')).toContain('kill proc_1');
    expect(ended('mcp_thing', { depth: 3, subject: 'moon' }, '{}')).toBe('● mcp_thing  moon  ✓ 0.1s');
    expect(ended('write_file', { path: 'a' }, '{"error":"No room.\\nAt all."}', 'error')).toBe(
      '● write_file  a  ✗ failed 0.1s  No room.',
    );
  });

  it('gives the failure reason the room that the preview leaves, and drops it first', () => {
    const content = JSON.stringify({
      error: 'There is no file missing.ts in this folder; look for it with search_files.',
    });
    const call = {
      name: 'read_file',
      arguments: '{"path":"missing.ts"}',
      status: 'error' as const,
      content,
      durationMs: 9,
    };
    expect([90, 52, 40, 24].map((width) => renderToolEnd(call, width, plain)[0])).toEqual([
      '● read_file  missing.ts  ✗ failed 0.0s  There is no file missing.ts in this folder; look …',
      '● read_file  missing.ts  ✗ failed 0.0s  There is no…',
      '● read_file  missing.ts  ✗ failed 0.0s',
      '● read_file  missing…  ✗',
    ]);
  });

  it('shows how many lines were added and removed', () => {
    const changes = [
      { path: 'a', added: 3, removed: 0, diff: '' },
      { path: 'b', added: 1, removed: 2, diff: '' },
    ];
    const call = {
      name: 'patch',
      arguments: '{"path":"a"}',
      status: 'ok' as const,
      content: 'x',
      durationMs: 0,
      changes,
    };
    expect(renderToolEnd(call, 60, plain)).toEqual(['● patch  a  ✓ 0.0s  +4 −2']);
  });

  it('shows the whole result on request, and the start and end of a very long one', () => {
    const call = { name: 'terminal', arguments: '{}', status: 'ok' as const, durationMs: 0, expanded: true };
    expect(renderToolEnd({ ...call, content: 'one\n\ttwo' }, 40, plain)).toEqual([
      '● terminal  ✓ 0.0s  2 lines',
      '  one',
      '      two',
    ]);
    const content = Array.from({ length: 1000 }, (_, index) => `line ${index}`).join('\n');
    const lines = renderToolEnd({ ...call, content }, 40, plain);
    expect(lines).toHaveLength(202);
    expect(lines[151]).toBe('  … 800 more lines …');
    expect(lines.at(-1)).toBe('  line 999');
  });

  it('fits any window, and escapes control characters', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('\u001b[2Jgone', '汉字汉字汉字', '\u0007', 'constructor'),
    );
    const statuses = fc.constantFrom<ToolStatus>('ok', 'error', 'denied', 'interrupted');
    fc.assert(
      fc.property(
        fc.record({ name: text, args: text, content: text, status: statuses, expanded: fc.boolean() }),
        fc.integer({ min: 20, max: 200 }),
        fc.nat(9),
        fc.constantFrom(plain, createTheme({ colours: 'light' })),
        ({ args, ...call }, width, depth, theme) => {
          const shared = { ...call, depth, arguments: JSON.stringify({ command: args }) };
          const lines = [
            ...renderToolEnd({ ...shared, durationMs: 61_000 }, width, theme),
            ...renderToolStart({ ...shared, elapsedMs: 1000, output: outputOf(call.content) }, width, theme),
          ];
          for (const line of lines) {
            expect(textWidth(stripAnsi(line))).toBeLessThanOrEqual(width);
            // oxlint-disable-next-line no-control-regex
            expect(stripAnsi(line)).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
          }
        },
      ),
    );
  });
});

it('shows the duration and the newest output line of a running call', () => {
  const call = {
    name: 'terminal',
    arguments: '{"command":"make"}',
    depth: 1,
    elapsedMs: 3900,
    output: { lines: ['cc a', '  cc b'], earlier: 1 },
  };
  expect(renderToolStart(call, 60, plain)).toEqual([
    '  ○ terminal  make  3s',
    '    … 1 earlier line · Ctrl-O shows more or less',
    '    cc a',
    '      cc b',
  ]);
});
