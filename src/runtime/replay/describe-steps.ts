import type { RebuiltStep } from '../../agent/index.ts';
import type { Message } from '../../base/index.ts';
import type { ModelRoute } from '../../contracts/index.ts';
import { createRepairFinder } from './find-repairs.ts';
import { callsOf, type ReplayDifference, type ReplayStep } from './replay-step.ts';
import { createBodyTracker } from './track-body.ts';

/** Describes each request, and where it differs from what the history and the previous request imply. */
export async function* describeSteps(
  steps: AsyncIterable<RebuiltStep>,
  history: readonly Message[],
  { client }: ModelRoute,
): AsyncGenerator<ReplayStep, void> {
  const bodies = createBodyTracker(client);
  const repairs = createRepairFinder();
  let step = 0;
  for await (const { request, unchanged, messages, answer } of steps) {
    step += 1;
    const { bytes, hash, broken } = bodies.next(request, unchanged);
    const found = repairs.next(history, messages, { sent: request.messages, unchanged });
    const differences: ReplayDifference[] = found.map((message) => ({ kind: 'history', message }));
    if (broken !== undefined) differences.push({ kind: 'prefix', message: broken });
    const text = answer?.role === 'assistant' ? answer.content : undefined;
    const calls = callsOf(answer).map(({ name }) => name);
    yield { step, messages, bytes, hash, calls, text, differences };
  }
}
