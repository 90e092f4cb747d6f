import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import type { InteractionRequest } from '../../../base/index.ts';
import { createTextSink } from '../../../../test/support/text-sink.ts';
import { createPlainTerminal } from './plain-terminal.ts';
import { createQuestionQueue } from './question-queue.ts';

const APPROVAL: InteractionRequest = { kind: 'approval', toolName: 'write_file', subject: '/etc/hosts', reasons: [] };
const CLARIFY: InteractionRequest = { kind: 'clarify', question: 'Which one?', choices: [] };

/** Returns everything that is printed for a question that nobody answers. */
function leaveOpen(request: InteractionRequest): string {
  const stdout = createTextSink();
  const io = { stdin: new PassThrough(), inputKind: 'terminal' as const, stdout, stderr: stdout };
  const nothing = () => undefined;
  const terminal = createPlainTerminal(
    { ...io, env: {}, workingDirectory: '/' },
    {
      onLines: nothing,
      onInterrupt: nothing,
      onStop: nothing,
      onAnswer: nothing,
      onEditQueued: nothing,
      onPasteImage: nothing,
      onEnd: nothing,
      onFileDropped: async () => false,
    },
  );
  const queue = createQuestionQueue(terminal, nothing);
  queue.show({ type: 'request', requestId: '1', request });
  queue.show({ type: 'request-closed', requestId: '1' });
  terminal.close();
  return stdout.text;
}

it('says what happens without an answer: an approval is denied, the model continues without a clarify answer', () => {
  expect(leaveOpen(APPROVAL)).toContain('so the request was denied');
  expect(leaveOpen(APPROVAL)).toContain('! write_file needs your approval:');
  expect(leaveOpen(CLARIFY)).toContain('continues without one');
  expect(leaveOpen(CLARIFY)).not.toContain('was denied');
});
