import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import { type Message, NO_USAGE } from '../../../base/index.ts';
import type { SessionRecord, TurnRecord } from '../../../contracts/index.ts';
import { createStyle } from '../style.ts';
import { createRecap } from './recap.ts';

const session: SessionRecord = {
  id: 'id-1',
  source: 'cli',
  model: 'm',
  systemPrompt: '',
  parentSessionId: undefined,
  title: undefined,
  startedAt: 0,
  endedAt: undefined,
  endReason: undefined,
  origin: undefined,
  isBranch: false,
  isDelegated: false,
  messageCount: 0,
  toolCallCount: 0,
  usage: NO_USAGE,
};
const turnEnded = (exitReason: TurnRecord['exitReason']): TurnRecord => ({
  sessionId: 'id-1',
  taskId: 't',
  startedAt: 0,
  endedAt: 1,
  exitReason,
  apiCalls: 1,
  toolCalls: 0,
  model: 'm',
  provider: 'p',
});
const recap = (messages: Message[], turn?: TurnRecord) =>
  createRecap(session, messages.map(toStored), turn, createStyle(new PassThrough(), {}));
const toStored = (message: Message, index: number) => ({ id: index, sessionId: 'id-1', timestamp: index, message });
const user: Message = { role: 'user', content: 'count\nthe files' };
const call: Message = {
  role: 'assistant',
  content: '',
  toolCalls: [{ id: 'c1', name: 'terminal', arguments: '{}' }],
};

describe('a recap', () => {
  verifies('LOOP-11', 'a resumed session shows the last exchanges', () => {
    const answer: Message = { role: 'assistant', content: 'There are 3.' };
    const { heading, exchanges, notes } = recap([user, answer], turnEnded('completed'));
    expect(heading).toBe('Resuming id-1, 2 messages.\n');
    expect(exchanges.map(({ message }) => message)).toEqual([user, answer]);
    expect(notes).toBe('');
    const many = Array.from({ length: 5 }, () => [user, call, answer]).flat();
    expect(recap(many).exchanges.map(({ id }) => id)).toEqual([6, 7, 8, 9, 10, 11, 12, 13, 14]);
  });

  verifies('LOOP-11', 'shows what was left unfinished', () => {
    expect(recap([user, call]).notes).toContain('Hermes exited while these tool calls were running: terminal');
    const result: Message = { role: 'tool', toolCallId: 'c1', toolName: 'terminal', content: '3' };
    expect(recap([user, call, result], turnEnded('interrupted')).notes).toContain(
      'ended without an answer (interrupted)',
    );
    expect(recap([user, { role: 'assistant', content: 'half' }], turnEnded('max_iterations')).notes).toContain(
      '(max_iterations)',
    );
  });

  it('strips escape sequences from an imported session', () => {
    const reason = 'left\u001b]0;title\u0007\u009b2J' as TurnRecord['exitReason'];
    expect(recap([user], turnEnded(reason)).notes).toContain('(left<U+009B>2J)');
  });

  it('also describes an empty session', () => {
    expect(recap([]).heading).toContain('0 messages');
  });
});
