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
import type { Recovery } from './recovery.ts';
import { repeatBadArguments } from './repeat-bad-arguments.ts';
import { repeatEmpty } from './repeat-empty.ts';
import { stopStreaming } from './stop-streaming.ts';
import { waitAndRetry } from './wait-and-retry.ts';

/** In order: change the request, change the credential, repeat unusable answers, switch routes, wait, end the turn. */
export const RECOVERIES: readonly Recovery[] = [
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
