import type { Settings } from '../../config/index.ts';
import type { SessionRecord, SessionStore, StoredMessage, TurnRecord } from '../../contracts/index.ts';
import {
  readOriginals,
  toConversations,
  toolsForSystemTurn,
  type Trajectory,
  trajectoryTime,
} from '../../trajectories/index.ts';
import { previewSession } from '../preview-session.ts';
import { templateOf } from './turn-saving.ts';

export type ReaderOptions = { workingDirectory: string; redact?: boolean | undefined };

export type ReadTrajectory = { line: Trajectory; warnings: string[] };

/**
 * Reads stored sessions as trajectories. The tools of a session are not stored, so the system turn lists those that a
 * session started here and now would have.
 */
export async function createTrajectoryReader(
  settings: Settings,
  store: SessionStore,
  { workingDirectory, redact = settings.trajectories?.redact ?? false }: ReaderOptions,
): Promise<(session: SessionRecord) => Promise<ReadTrajectory | undefined>> {
  const { model = 'model', provider = 'provider' } = settings.model;
  const template = await templateOf(settings);
  const { definitions, describe } = await previewSession(settings, { workingDirectory, model, provider });
  const writtenTools = new WeakMap();
  return async (session) => {
    const messages = await readOriginals(store, session.id);
    if (!messages.some(({ message }) => message.role === 'assistant')) return undefined;
    const tools = await toolsForSystemTurn(messages, definitions, describe);
    const { conversations, warnings } = toConversations({ messages, tools, template, redact, writtenTools });
    const last = (await store.getTurns(session.id)).at(-1);
    const timestamp = trajectoryTime(last?.endedAt ?? messages.at(-1)?.timestamp ?? session.startedAt);
    const completed = hasCompleted(messages, last);
    return {
      line: { conversations, timestamp, model: last?.model ?? session.model ?? 'unknown', completed },
      warnings,
    };
  };
}

/**
 * Sessions of another program do not record how their turns ended; one that ends with an answer counts as completed.
 */
function hasCompleted(messages: readonly StoredMessage[], last: TurnRecord | undefined): boolean {
  if (last !== undefined) return last.exitReason === 'completed';
  const message = messages.at(-1)?.message;
  return message?.role === 'assistant' && (message.toolCalls ?? []).length === 0;
}
