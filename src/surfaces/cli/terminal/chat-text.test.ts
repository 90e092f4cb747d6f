import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import { type Message, NO_USAGE } from '../../../base/index.ts';
import type { SessionRecord, TurnRecord } from '../../../contracts/index.ts';
import { createStyle } from '../style.ts';
import { formatRecap } from './chat-text.ts';

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
  formatRecap(session, messages, turn, createStyle(new PassThrough(), {}));
const user: Message = { role: 'user', content: 'count\nthe files' };
const call: Message = {
  role: 'assistant',
  content: '',
  toolCalls: [{ id: 'c1', name: 'terminal', arguments: '{}' }],
};

describe('formatRecap', () => {
  verifies('LOOP-11', 'a resumed session shows the last exchange', () => {
    const text = recap([user, { role: 'assistant', content: 'There are 3.' }], turnEnded('completed'));
    expect(text).toBe('Resuming id-1, 2 messages.\n❯ count the files\nThere are 3.\n');
  });

  verifies('LOOP-11', 'shows what was left unfinished', () => {
    expect(recap([user, call])).toContain('Hermes exited while these tool calls were running: terminal');
    const result: Message = { role: 'tool', toolCallId: 'c1', toolName: 'terminal', content: '3' };
    expect(recap([user, call, result], turnEnded('interrupted'))).toContain('ended without an answer (interrupted)');
    expect(recap([user, { role: 'assistant', content: 'half' }], turnEnded('max_iterations'))).toContain(
      '(max_iterations)',
    );
  });

  it('strips escape sequences from an imported session', () => {
    const reason = 'left\u001b]0;title\u0007\u009b2J' as TurnRecord['exitReason'];
    expect(recap([user], turnEnded(reason))).toContain('(left<U+009B>2J)');
  });

  it('also describes an empty session', () => {
    expect(recap([])).toContain('0 messages');
  });
});
