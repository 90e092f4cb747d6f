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
  readSystemTemplate,
  type SystemTemplate,
  toConversations,
  toolsTold,
  type Trajectory,
  trajectoryTime,
} from '../../trajectories/index.ts';
import type { SavedAgent, SavedTurn, SavingOptions, TrajectorySaving } from './open-saving.ts';

/** Saves one turn after another, beside whatever the program does next. */
export async function createTurnSaving(options: SavingOptions, logger: Logger): Promise<TrajectorySaving> {
  const { redact = false, file: configured } = options.settings.trajectories ?? {};
  const template = await templateOf(options.settings);
  const chosen = options.trajectoryFile ?? configured;
  const waiting: string[] = [];
  let hasFailed = false;
  let saving: Promise<void> = Promise.resolve();

  async function save(result: SavedTurn, { store, tools, workingDirectory }: SavedAgent): Promise<void> {
    const turn = (await store.getTurns(result.sessionId)).findLast(({ taskId }) => taskId === result.taskId);
    const messages = upTo(await readOriginals(store, result.sessionId), turn?.endedAt);
    // A turn that was never answered has nothing to learn from.
    if (!messages.some(({ message }) => message.role === 'assistant')) return;
    const told = await toolsTold(messages, await tools.definitions(), tools.describe);
    const { conversations, warnings } = toConversations({ messages, tools: told, template, redact });
    for (const warning of warnings) logger.warn('a trajectory is not all that was said', { warning });
    const completed = result.exitReason === 'completed';
    const timestamp = trajectoryTime(turn?.endedAt ?? Date.now());
    const line: Trajectory = { conversations, timestamp, model: turn?.model ?? '', completed };
    const file = chosen ?? (completed ? COMPLETED_FILE : FAILED_FILE);
    await appendLine(placeFrom(options.trajectoryFolder ?? workingDirectory, file), line);
  }

  /** The turn is stored whatever happens here, and can be written later. */
  function tell(thrown: unknown, { sessionId }: SavedTurn): void {
    logger.warn('a trajectory could not be saved', { sessionId, reason: errorMessage(thrown) });
    if (hasFailed) return;
    hasFailed = true;
    const later = `hermes sessions export --format trajectory --session ${sessionId} FILE`;
    waiting.push(`The turn is stored, but not as a trajectory. ${errorMessage(thrown)} Write it later with: ${later}`);
  }

  return {
    save(turn, agent) {
      saving = saving.then(() => save(turn, agent)).catch((thrown: unknown) => tell(thrown, turn));
    },
    news: () => waiting.splice(0),
    settled: () => saving,
  };
}

/** Without what a next turn has said meanwhile. */
function upTo(messages: readonly StoredMessage[], endedAt: number | undefined): StoredMessage[] {
  if (endedAt === undefined) return [...messages];
  return messages.slice(0, messages.findLastIndex(({ timestamp }) => timestamp <= endedAt) + 1);
}

/** A path as a person writes it, from where it is meant. */
function placeFrom(folder: string, path: string): string {
  const whole = path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : path;
  return resolve(folder, whole);
}

/** The template that the settings name; a path without a folder is meant from the home. */
export async function templateOf({ home, trajectories }: Settings): Promise<SystemTemplate | undefined> {
  const file = trajectories?.systemTemplate;
  return file === undefined ? undefined : readSystemTemplate(placeFrom(home, file));
}
