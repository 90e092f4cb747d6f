import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ApprovalRequest } from '../../../base/index.ts';
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
    expect(text).toContain('    rm -rf build␛[2K\n    rm -rf /tmp/x\n');
    expect(text).toContain('! terminal needs your approval:');
    expect(text).toContain('recursive delete');
    expect(text).not.toContain('\u001b');
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
});
