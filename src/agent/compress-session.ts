import { type CompressionReport, newId } from '../base/index.ts';
import type { AgentParts } from './begin-turn.ts';
import { compressContext, type CompressionRequest, MIN_MESSAGES } from './compress-context.ts';
import type { Scene } from './turn.ts';
import { tokenFigure } from './token-figure.ts';
import { windowOf } from './window.ts';

/** Compression between two turns: because the person wants it, or because a surface tidies up. */
export type CompressOptions = {
  /** `hygiene` does it only where it is due. */
  reason?: 'command' | 'hygiene';
  /** What the summary should dwell on. */
  topic?: string;
  /** Only says what would be saved; no model is asked and nothing changes. */
  previewOnly?: boolean;
  /** Another process may have gone on with the session: it is read anew. */
  storedChanged?: boolean;
  signal?: AbortSignal;
};

/** A surface that is not watched tidies up before a turn, at a share that no setting changes. */
const HYGIENE_SHARE = 0.85;

/** Undefined where there is nothing to compress, or nothing that could be saved. Throws the signal's reason. */
export async function compressSession(
  parts: AgentParts,
  { reason = 'command', topic, previewOnly, ...from }: CompressOptions,
): Promise<CompressionReport | undefined> {
  const { options, session } = parts;
  if (!(await session.isStored())) return undefined;
  const scene = await openScene(parts, from);
  if (session.history.length < MIN_MESSAGES) return undefined;
  if (reason === 'hygiene' && !isHygieneDue(scene)) return undefined;
  if (reason === 'command' && !previewOnly) options.context.allow(session.lineageId, 'command');
  const request: CompressionRequest = { reason, topic, previewOnly };
  return compressContext(scene, request);
}

async function openScene(
  parts: AgentParts,
  { storedChanged, signal = new AbortController().signal }: Pick<CompressOptions, 'storedChanged' | 'signal'>,
): Promise<Scene> {
  const { options, session, routes, clock } = parts;
  const toolNames = await options.tools.names();
  await session.open({ ...routes.primary(), toolNames, systemMessage: undefined, now: clock.now() }, { storedChanged });
  await routes.beginTurn(() => undefined);
  const definitions = await options.tools.definitions(windowOf(parts));
  return { ...parts, state: { definitions }, taskId: newId('task'), signal, emit: () => undefined };
}

function isHygieneDue(scene: Scene): boolean {
  const { options } = scene;
  const window = windowOf(scene);
  if (options.compressesByItself === false || window === undefined) return false;
  return tokenFigure(scene) >= window * HYGIENE_SHARE;
}
