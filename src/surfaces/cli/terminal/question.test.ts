import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import type { ApprovalRequest } from '../../../base/index.ts';
import { textWidth } from '../../../util/text-width.ts';
import { createStyle } from '../style.ts';
import { formatQuestion, parseAnswer } from './question.ts';

const approval: ApprovalRequest = {
  kind: 'approval',
  toolName: 'terminal',
  subject: 'rm -rf build\u001b[2K\nrm -rf /tmp/x',
  reasons: [{ rule: 'recursive delete', matched: 'rm -rf build' }],
};

describe('approval', () => {
  it('requires an explicit word', () => {
    const answers = { o: 'once', S: 'session', ' always ': 'always', d: 'deny', No: 'deny' };
    for (const [line, answer] of Object.entries(answers)) {
      expect(parseAnswer(approval, line)).toEqual({ kind: 'approval', answer });
    }
  });

  it('accepts nothing else', () => {
    const words = new Set(['o', 'once', 's', 'session', 'a', 'always', 'd', 'deny', 'n', 'no']);
    const other = fc.string().filter((line) => !words.has(line.trim().toLowerCase()));
    fc.assert(fc.property(other, (line) => parseAnswer(approval, line) === undefined));
    for (const line of ['', '\n', 'y', 'yes', 'o\ns', '__proto__', 'constructor']) {
      expect(parseAnswer(approval, line)).toBeUndefined();
    }
  });

  it('shows the whole command and the reason', () => {
    const { text } = formatQuestion(approval, createStyle(process.stdout, { NO_COLOR: '1' }));
    expect(text).toContain('  │ rm -rf build␛[2K\n  │ rm -rf /tmp/x\n');
    expect(text).toContain('! terminal needs your approval:');
    expect(text).toContain('recursive delete');
    expect(text).not.toContain('\u001b');
  });

  verifies('APPR-3', 'cannot be imitated in plain text either, by line breaks or by long lines', () => {
    const keys = '  o once · s session · a always · d deny · d REASON says why';
    const breaks = fc.constantFrom('\n', '\r', '\r\n', '\u2028', '\u0085', ' '.repeat(80), '\u202e', 'x'.repeat(75));
    const text = fc.array(fc.oneof(breaks, fc.constantFrom(keys, '! terminal needs your approval:', 'ls')), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(text, text, (subject, matched) => {
        const request = { ...approval, subject: subject.join(''), reasons: [{ rule: 'r', matched: matched.join('') }] };
        const rows = formatQuestion(request, createStyle(process.stdout, { NO_COLOR: '1' }), 72)
          .text.trimEnd()
          .split('\n');
        const unmarked = rows.filter((row) => !/^  [│┊]/.test(row));
        expect(unmarked).toHaveLength(4);
        expect(unmarked.filter((row) => row.trim() === keys.trim())).toHaveLength(1);
        for (const row of rows) expect(textWidth(row)).toBeLessThan(72);
      }),
    );
  });
});

describe('clarify', () => {
  const clarify = { kind: 'clarify' as const, question: 'Which one?', choices: ['red', 'blue'] };

  it('accepts a number or any text', () => {
    expect(parseAnswer(clarify, '2')).toEqual({ kind: 'clarify', text: 'blue' });
    expect(parseAnswer(clarify, '7')).toEqual({ kind: 'clarify', text: '7' });
    expect(parseAnswer(clarify, 'neither')).toEqual({ kind: 'clarify', text: 'neither' });
    expect(parseAnswer(clarify, '  ')).toBeUndefined();
  });

  it('shows a line break in a choice without adding a choice', () => {
    const { text } = formatQuestion(
      { ...clarify, question: 'Which?\n  1. no', choices: ['a\n  2. b'] },
      createStyle(process.stdout, { NO_COLOR: '1' }),
    );
    expect(text).toBe('Which?\n  │   1. no\n  1. a⏎  2. b\n');
  });
});
