import type { CompressionSettings } from '../config/index.ts';
import type { Compression, CompressionInput } from '../contracts/index.ts';
import { compressConversation, type Replacement, type ReplacementInput } from './compress.ts';
import { summarise } from './phases/summary.ts';
import type { RecordTools } from './summary/write-record.ts';

/** The most that one question to the summary model brings, and the share of the chat's own window that it may take. */
const MOST_PIECE_TOKENS = 48_000;
const PIECE_SHARE = 0.5;
const LEAST_PIECE_TOKENS = 1_500;

/** Puts a summary, written by the auxiliary model for `compression`, in the place of the middle. */
export function compressWithSummary(
  input: CompressionInput,
  settings: CompressionSettings,
  tools: RecordTools,
): Promise<Compression | undefined> {
  return compressConversation(input, settings, { makeReplacement: (of) => makeSummary(of, tools), prunesAlone: true });
}

async function makeSummary(
  { input, conversation, plan, newestWords, limit, tokensOf }: ReplacementInput,
  tools: RecordTools,
): Promise<Replacement> {
  const pieceTokens = Math.min(MOST_PIECE_TOKENS, Math.max(input.contextLength * PIECE_SHARE, LEAST_PIECE_TOKENS));
  const summary = await summarise(
    {
      middle: plan.middle,
      former: conversation.former?.body ?? '',
      todos: input.todos,
      topic: input.topic,
      ...{ newestWords, limit, pieceTokens, tokensOf },
      previewOnly: input.previewOnly ?? false,
      isAsked: input.reason === 'command',
      ...{ sessionId: input.sessionId, taskId: input.taskId, signal: input.signal },
    },
    tools,
  );
  return { kind: 'summary', ...summary };
}
