import { changeCredential } from './change-credential.ts';
import { changeParameter } from './change-parameter.ts';
import { cleanEncoding } from './clean-encoding.ts';
import { compress } from './compress.ts';
import { continueText } from './continue-text.ts';
import { dropAttachments } from './drop-attachments.ts';
import { dropCacheMarkers } from './drop-cache-markers.ts';
import { dropReasoning } from './drop-reasoning.ts';
import { dropSchema } from './drop-schema.ts';
import { endEmpty } from './end-empty.ts';
import { fail } from './fail.ts';
import { fallBack } from './fall-back.ts';
import { lowerOutputLimit } from './lower-output-limit.ts';
import { raiseOutputLimit } from './raise-output-limit.ts';
import { sendBackReasoning } from './send-back-reasoning.ts';
import { nudgeAfterTools } from './nudge-after-tools.ts';
import type { Reply } from '../loop.ts';
import type { Turn } from '../turn.ts';
import type { CallProblem, Recovery } from './recovery.ts';
import { repeatBadArguments } from './repeat-bad-arguments.ts';
import { repeatEmpty } from './repeat-empty.ts';
import { stopStreaming } from './stop-streaming.ts';
import { waitAndRetry } from './wait-and-retry.ts';

/** In order: change the request, change the credential, repeat unusable answers, switch routes, wait, end the turn. */
const RECOVERIES: readonly Recovery[] = [
  lowerOutputLimit,
  compress,
  dropAttachments,
  dropReasoning,
  dropCacheMarkers,
  changeParameter,
  dropSchema,
  cleanEncoding,
  stopStreaming,
  changeCredential,
  continueText,
  raiseOutputLimit,
  repeatBadArguments,
  nudgeAfterTools,
  sendBackReasoning,
  repeatEmpty,
  fallBack,
  waitAndRetry,
  endEmpty,
  fail,
];

/** Applies the first recovery that can handle the problem. */
export async function recover(turn: Turn, problem: CallProblem): Promise<Reply | 'retry'> {
  for (const recovery of RECOVERIES) {
    if (!recovery.applies(problem, turn)) continue;
    const reply = await recovery.apply(problem, turn);
    if (reply === 'pass') continue;
    // A recovery that changes the request or the route starts counting attempts again.
    if (reply === 'retry' && !recovery.repeatsRequest) turn.state.step.attempts = 0;
    turn.logger.info('recovery', { recovery: recovery.name, problem: problem.type });
    return reply;
  }
  throw new Error(`no recovery handled ${problem.type}`);
}
