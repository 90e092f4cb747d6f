import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StoredQuestion } from '../../../contracts/index.ts';
import { createTelegramChannel } from '../../../platforms/telegram/telegram-channel.ts';
import {
  describeOutcome,
  describeQuestion,
  readButton,
  readDecision,
  replyToChoices,
  toAnswer,
} from './question-buttons.ts';

const CLARIFY = { kind: 'clarify', question: 'Which?', choices: ['red', 'blue'] } as const;
const APPROVAL = { kind: 'approval', toolName: 'terminal', subject: 'rm -rf build', reasons: [] } as const;

const question = (changes: Partial<StoredQuestion>): StoredQuestion => ({
  id: 'ask_1',
  key: 'k',
  sessionId: 's',
  turnId: 't',
  request: { ...APPROVAL, reasons: [] },
  allowed: { role: 'admin' },
  state: 'open',
  answer: undefined,
  answeredBy: undefined,
  askedAt: 0,
  expiresAt: 300_000,
  answeredAt: undefined,
  usedAt: undefined,
  ...changes,
});

describe('the decision in a reply', () => {
  it.each([
    ['/approve', { answer: 'once', all: false }],
    ['/approve session', { answer: 'session', all: false }],
    ['/APPROVE all always', { answer: 'always', all: true }],
    ['/approve@my_bot', { answer: 'once', all: false }],
    ['/deny', { answer: 'deny', all: false }],
    ['/deny all', { answer: 'deny', all: true }],
    ['/deny use the\nother one', { answer: 'deny', all: false, reason: 'use the\nother one' }],
    ['/deny all of it is needed', { answer: 'deny', all: true, reason: 'of it is needed' }],
    ['/deny allowing this is wrong', { answer: 'deny', all: false, reason: 'allowing this is wrong' }],
  ])('%j', (text, decision) => expect(readDecision(text)).toEqual(decision));

  it('is never found in other text', () => {
    for (const text of ['yes', 'approve', '/approved', '/deny-it', 'please /approve', '/denyall', '']) {
      expect(readDecision(text), text).toBeUndefined();
    }
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        fc.pre(!/^\s*\/(?:approve|deny)/i.test(text));
        expect(readDecision(text)).toBeUndefined();
      }),
    );
  });
});

it('shows every character of a command, and lets no command end its block', () => {
  const subject = 'echo \u202egnp.tac\u200b\r```\n**Allowed** by Ada';
  const [content] = createTelegramChannel({ token: '1:x', variables: {} }).render(
    describeQuestion({ ...APPROVAL, reasons: [], subject }, true),
  );
  const block = 'echo <U+202E>gnp.tac<U+200B>␍```\n**Allowed** by Ada';
  expect(content?.text).toBe(`Allow this? (terminal)\n\n${block}`);
  expect(content?.format?.['entities']).toContainEqual({
    type: 'pre',
    offset: content?.text.indexOf('echo'),
    length: block.length,
  });
});

describe('the answer to a question', () => {
  it('is the choice of a number, or the text itself', () => {
    const { choices } = CLARIFY;
    const replies = ['1', ' 2. ', '2)', '3', '0', '1 or 2', 'green'].map((text) => replyToChoices(text, choices));
    expect(replies).toEqual(['red', 'blue', 'blue', '3', '0', '1 or 2', 'green']);
  });

  it('of a button is one that was offered, whatever data arrives', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (id, value) => {
        const read = readButton(`${id}:${value.replaceAll(':', '')}`);
        const clarify = toAnswer(read?.value ?? '', { ...CLARIFY, choices: [...CLARIFY.choices] });
        expect([undefined, 'red', 'blue']).toContain(clarify?.kind === 'clarify' ? clarify.text : undefined);
        const approval = toAnswer(read?.value ?? '', { ...APPROVAL, reasons: [] });
        const given = approval?.kind === 'approval' ? approval.answer : undefined;
        expect([undefined, 'once', 'session', 'always', 'deny']).toContain(given);
      }),
    );
  });
});

describe('the outcome of a question', () => {
  it('says who decided, or that nobody did', () => {
    const by = { id: 'telegram:7', role: 'admin', name: 'Ada' } as const;
    const deny = { kind: 'approval', answer: 'deny', reason: 'no' } as const;
    expect(describeOutcome(question({ state: 'answered', answer: deny, answeredBy: by }), 1)).toBe(
      '❌ Denied by Ada: no',
    );
    expect(describeOutcome(question({ state: 'expired' }), 1)).toMatch(/within 5 min, so the call was denied$/);
    expect(describeOutcome(question({}), 300_000)).toMatch(/^⌛/);
    expect(describeOutcome(question({}), 1)).toMatch(/interrupted$/);
  });

  it('keeps the text of people on one line without formatting', () => {
    const channel = createTelegramChannel({ token: '1:x', variables: {} });
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (name) => {
        const by = { id: 'telegram:7', role: 'admin', name } as const;
        const answer = { kind: 'approval', answer: 'once' } as const;
        const outcome = describeOutcome(question({ state: 'answered', answer, answeredBy: by }), 1);
        expect(outcome).toMatch(/^✅ Allowed once by [^\n]*$/);
        expect(outcome.length).toBeLessThan(250);
        const asked = describeQuestion({ ...APPROVAL, reasons: [], subject: 'ls' }, true);
        const [content, ...more] = channel.render(`${asked}\n\n${outcome}`);
        expect(more).toEqual([]);
        expect(content?.text).toContain('✅ Allowed once by');
      }),
    );
  });
});
