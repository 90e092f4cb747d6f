import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { errorMessage } from '../../base/index.ts';
import type { Settings } from '../../config/index.ts';
import type { Logger, StoredMessage } from '../../contracts/index.ts';
import {
  appendLine,
  COMPLETED_FILE,
  FAILED_FILE,
  readOriginals,
  namedTemplate,
  readSystemTemplate,
  type SystemTemplate,
  toConversations,
  toolsForSystemTurn,
  type Trajectory,
  trajectoryTime,
} from '../../trajectories/index.ts';
import type { SavedAgent, SavedTurn, SavingOptions, TrajectorySaving } from './open-saving.ts';

/** Saves turns one after another in the background. */
export async function createTurnSaving(options: SavingOptions, logger: Logger): Promise<TrajectorySaving> {
  const { redact = false, file: configured } = options.settings.trajectories ?? {};
  const template = await templateOf(options.settings);
  const chosen = options.trajectoryFile ?? configured;
  const waiting: string[] = [];
  let hasFailed = false;
  let saving: Promise<void> = Promise.resolve();

  async function save(result: SavedTurn, { store, tools, workingDirectory }: SavedAgent): Promise<void> {
    const turn = (await store.getTurns(result.sessionId)).findLast(({ taskId }) => taskId === result.taskId);
    const messages = messagesUntil(await readOriginals(store, result.sessionId), turn?.endedAt);
    // A turn without an answer is useless for training.
    if (!messages.some(({ message }) => message.role === 'assistant')) return;
    const listed = await toolsForSystemTurn(messages, await tools.definitions(), tools.describe);
    const { conversations, warnings } = toConversations({ messages, tools: listed, template, redact });
    for (const warning of warnings) logger.warn('trajectory is incomplete', { warning });
    const completed = result.exitReason === 'completed';
    const timestamp = trajectoryTime(turn?.endedAt ?? Date.now());
    const line: Trajectory = { conversations, timestamp, model: turn?.model ?? '', completed };
    const file = chosen ?? (completed ? COMPLETED_FILE : FAILED_FILE);
    await appendLine(resolveUserPath(options.trajectoryFolder ?? workingDirectory, file), line);
  }

  /**
   * Reports a trajectory that could not be saved. The turn itself is in the session store, so it can be exported
   * later.
   */
  function tell(thrown: unknown, { sessionId }: SavedTurn): void {
    logger.warn('could not save a trajectory', { sessionId, reason: errorMessage(thrown) });
    if (hasFailed) return;
    hasFailed = true;
    const later = `hermes sessions export --format trajectory --session ${sessionId} FILE`;
    waiting.push(
      `The turn is stored, but its trajectory could not be saved. ${errorMessage(thrown)} Export it later with: ${later}`,
    );
  }

  return {
    save(turn, agent) {
      saving = saving.then(() => save(turn, agent)).catch((thrown: unknown) => tell(thrown, turn));
    },
    drainMessages: () => waiting.splice(0),
    settled: () => saving,
  };
}

/** The messages up to the end of the turn, without those of the next turn that were stored in the meantime. */
function messagesUntil(messages: readonly StoredMessage[], endedAt: number | undefined): StoredMessage[] {
  if (endedAt === undefined) return [...messages];
  return messages.slice(0, messages.findLastIndex(({ timestamp }) => timestamp <= endedAt) + 1);
}

/** Resolves a path that the user wrote, relative to a folder and with `~` expanded. */
function resolveUserPath(folder: string, path: string): string {
  const whole = path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : path;
  return resolve(folder, whole);
}

/** The configured template, by name or from a file; a relative path starts at the home directory. */
export async function templateOf({ home, trajectories }: Settings): Promise<SystemTemplate | undefined> {
  const file = trajectories?.systemTemplate;
  if (file === undefined) return undefined;
  return namedTemplate(file) ?? readSystemTemplate(resolveUserPath(home, file));
}
