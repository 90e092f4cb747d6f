import { type CompressionReport, newId } from '../base/index.ts';
import type { AgentParts } from './begin-turn.ts';
import { compressContext, type CompressionRequest, MIN_MESSAGES } from './compress-context.ts';
import type { CompressionTarget } from './turn.ts';
import { tokenFigure } from './token-figure.ts';
import { windowOf } from './window.ts';

/** Options for a compression between two turns: on request (`/compress`), or as hygiene compression. */
export type CompressOptions = {
  /** `hygiene` compresses only if the session has reached the hygiene threshold. */
  reason?: 'command' | 'hygiene';
  /** What the summary should focus on. */
  topic?: string;
  /** Only report what would be saved: no model is called and nothing changes. */
  previewOnly?: boolean;
  /** Set if another process may have continued the session; it is then read from the store again. */
  storedChanged?: boolean;
  signal?: AbortSignal;
};

/** Share of the context window at which hygiene compression starts. Not configurable. */
const HYGIENE_SHARE = 0.85;
/** The number of messages at which it starts, even if they are short. */
const HYGIENE_MESSAGES = 400;

/**
 * Returns undefined if there is nothing to compress or nothing can be saved. Throws the signal's reason when aborted.
 */
export async function compressSession(
  parts: AgentParts,
  { reason = 'command', topic, previewOnly, ...from }: CompressOptions,
): Promise<CompressionReport | undefined> {
  const { options, session } = parts;
  if (!(await session.isStored())) return undefined;
  const target = await openTarget(parts, from);
  if (session.history.length < MIN_MESSAGES) return undefined;
  if (reason === 'hygiene' && !isHygieneDue(target)) return undefined;
  if (reason === 'command' && !previewOnly) options.context.allow(session.lineageId, 'command');
  const request: CompressionRequest = { reason, topic, previewOnly };
  return compressContext(target, request);
}

async function openTarget(
  parts: AgentParts,
  { storedChanged, signal = new AbortController().signal }: Pick<CompressOptions, 'storedChanged' | 'signal'>,
): Promise<CompressionTarget> {
  const { options, session, routes, clock } = parts;
  const toolNames = await options.tools.names();
  const keepsTools = await options.tools.isOfferRestored?.();
  const prompt = { ...routes.primary(), toolNames, keepsTools, systemMessage: undefined, now: clock.now() };
  await session.open(prompt, { storedChanged });
  await routes.beginTurn(() => undefined);
  const definitions = await options.tools.definitions(windowOf(parts));
  return { ...parts, state: { definitions }, taskId: newId('task'), signal, emit: () => undefined };
}

function isHygieneDue(target: CompressionTarget): boolean {
  const { options, session } = target;
  if (options.autoCompress === false) return false;
  if (session.history.length >= HYGIENE_MESSAGES) return true;
  const window = windowOf(target);
  return window !== undefined && tokenFigure(target) >= window * HYGIENE_SHARE;
}
