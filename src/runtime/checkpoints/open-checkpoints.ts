import { type Clock, errorMessage } from '../../base/index.ts';
import { createApprovalGuard } from '../../approvals/index.ts';
import { type CheckpointSettings, homePaths, readCheckpointSettings } from '../../config/index.ts';
import type { Checkpoints, Hooks, Logger, RestoreReport } from '../../contracts/index.ts';
import type { AgentBlueprint } from '../agent-blueprint.ts';
import { createCheckpointHook } from './checkpoint-hook.ts';
import type { PendingNotices } from './pending-notices.ts';

type CheckpointBlueprint = Pick<AgentBlueprint, 'settings' | 'workingDirectory' | 'checkpoints'> &
  Partial<Pick<AgentBlueprint, 'surface' | 'kind' | 'attended'>>;

/** The checkpoints of an agent's working directory. */
export interface AgentCheckpoints {
  /** Why no checkpoints are taken; undefined if they are. Existing ones can be listed and restored either way. */
  readonly disabledReason: string | undefined;
  /** Hooks for the tool calls of the agent. */
  readonly hooks: readonly Hooks[];
  open(): Promise<Checkpoints>;
  /** Messages for the user about these checkpoints; each is returned once. */
  drainMessages(): string[];
  /** Restores files, and adds a notice for the model to the next message of the session. */
  restore(sessionId: string, number: number, paths?: readonly string[]): Promise<RestoreReport>;
  close(): Promise<void>;
}

/** The checkpoints of all agents of a process. */
export interface RuntimeCheckpoints {
  forAgent(blueprint: CheckpointBlueprint): AgentCheckpoints;
  /** The messages about all directories. */
  drainMessages(): string[];
  warningsFor(blueprint: CheckpointBlueprint): string[];
  close(): Promise<void>;
}

/** How long closing waits for pruning. */
const PRUNE_MS = 3_000;

export function openCheckpoints(parts: CheckpointParts): RuntimeCheckpoints {
  // Agents in the same directory share one entry, so that a checkpoint of one agent does not wait for pruning by
  // another.
  const directories = new Map<string, CheckpointDirectory>();
  const release = async (directory: string) => {
    const shared = directories.get(directory);
    if (shared === undefined || (shared.users -= 1) > 0) return;
    directories.delete(directory);
    await shared.pruning.stop(PRUNE_MS);
  };
  return {
    forAgent(blueprint) {
      const { workingDirectory } = blueprint;
      const shared = directories.get(workingDirectory) ?? createDirectory(blueprint, parts);
      directories.set(workingDirectory, shared);
      shared.users += 1;
      return createAgentCheckpoints(blueprint, parts, { shared, close: () => release(workingDirectory) });
    },
    drainMessages: () => [...directories.values()].flatMap(({ news }) => news.splice(0)),
    warningsFor(blueprint) {
      const off = findDisabledReason(blueprint);
      return off === undefined || off === HOW_TO_ENABLE ? [] : [`Checkpoints are off: ${off}.`];
    },
    async close() {
      await Promise.all(directories.values().map(({ pruning }) => pruning.stop(PRUNE_MS)));
    },
  };
}

type CheckpointParts = { logger: Logger; board: PendingNotices; clock: Clock };

/** What the agents working in one directory share. */
type CheckpointDirectory = {
  users: number;
  news: string[];
  pruning: ReturnType<typeof createPruning>;
  hook: Hooks;
  open(): Promise<Checkpoints>;
};

function createDirectory(blueprint: CheckpointBlueprint, { logger, clock }: CheckpointParts): CheckpointDirectory {
  const { settings, workingDirectory } = blueprint;
  const load = openLater(blueprint, clock);
  const news: string[] = [];
  const pruning = createPruning(load, logger);
  // Stop pruning first: it can run later, and callers should not wait for it.
  const open = async () => {
    await pruning.stop();
    return load();
  };
  const hook = createCheckpointHook({
    open,
    automatic: modeOf(blueprint) === 'auto',
    workingDirectory,
    logger,
    guard: createApprovalGuard({ planMode: true, hermesHome: settings.home }),
    notifyUser: (text) => void news.push(text),
    onTaken: pruning.begin,
  });
  return { users: 0, news, pruning, hook, open };
}

function createAgentCheckpoints(
  blueprint: CheckpointBlueprint,
  { board }: CheckpointParts,
  { shared, close }: { shared: CheckpointDirectory; close(): Promise<void> },
): AgentCheckpoints {
  const { open, news, hook } = shared;
  const off = findDisabledReason(blueprint);
  return {
    disabledReason: off,
    open,
    hooks: off === undefined ? [hook] : [],
    drainMessages: () => news.splice(0),
    async restore(sessionId, number, paths = []) {
      const report = await (await open()).restore(number, { sessionId, paths });
      const notice = describeRestore(number, report);
      if (notice !== undefined) board.add(sessionId, notice);
      return report;
    },
    close,
  };
}

const HOW_TO_ENABLE = 'start with --checkpoints, or set checkpoints.enabled to true';

function modeOf({ settings, checkpoints }: CheckpointBlueprint): CheckpointSettings['enabled'] {
  return checkpoints ?? settings.checkpoints?.enabled ?? 'auto';
}

/** Automatic checkpoints are for chats, where a user can type `/rollback`. */
function isChat({ surface, kind = 'interactive', attended }: CheckpointBlueprint): boolean {
  return surface === 'cli' && kind === 'interactive' && attended === true;
}

function findDisabledReason(blueprint: CheckpointBlueprint): string | undefined {
  const mode = modeOf(blueprint);
  const { backend } = blueprint.settings.terminal;
  if (mode === false || (mode === 'auto' && (!isChat(blueprint) || backend !== 'local'))) return HOW_TO_ENABLE;
  // Checkpoints cannot include files of another machine or a container.
  if (backend === 'local' || backend === 'sandbox') return undefined;
  return `terminal.backend is ${backend}, and checkpoints require the backend local or sandbox`;
}

/** Loaded on first use, because most turns change no files. */
function openLater({ settings, workingDirectory }: CheckpointBlueprint, clock: Clock) {
  let opening: Promise<Checkpoints> | undefined;
  const { home, checkpoints = readCheckpointSettings(undefined) } = settings;
  const load = async () => {
    const { createCheckpoints } = await import('../../checkpoints/index.ts');
    const folder = homePaths(home).checkpointsFolder;
    return createCheckpoints({ ...checkpoints, folder, home, directory: workingDirectory, clock });
  };
  return () =>
    (opening ??= load().catch((thrown: unknown) => {
      opening = undefined;
      throw thrown;
    }));
}

/** Prunes in the background after a checkpoint, so that no call waits for it. */
function createPruning(open: () => Promise<Checkpoints>, logger: Logger) {
  let running: { done: Promise<void>; stopping: AbortController } | undefined;
  const prune = async ({ signal }: AbortController) => {
    try {
      await (await open()).prune(signal);
    } catch (thrown) {
      if (!signal.aborted) logger.warn('could not prune checkpoints', { reason: errorMessage(thrown) });
    }
  };
  return {
    begin() {
      const stopping = new AbortController();
      running ??= { done: prune(stopping), stopping };
    },
    /** Whatever is left will be pruned next time. */
    async stop(afterMs = 0) {
      if (running === undefined) return;
      const { done, stopping } = running;
      const timer = setTimeout(() => stopping.abort(new Error('pruning was postponed')), afterMs);
      await done;
      clearTimeout(timer);
      running = undefined;
    },
  };
}

const MAX_NAMED = 30;

/** The notice for the model about files it remembers differently; undefined if no file changed. */
function describeRestore(number: number, { written, removed }: RestoreReport): string | undefined {
  if (written.length + removed.length === 0) return undefined;
  const lines = [
    `The user rolled back to checkpoint ${number}: files of the working directory were restored, and your later changes to them are undone. Read a file again before you rely on it or change it.`,
    ...namesOf('Restored', written),
    ...namesOf('Removed', removed),
  ];
  return lines.join('\n');
}

function namesOf(what: string, paths: readonly string[]): string[] {
  if (paths.length === 0) return [];
  const more = paths.length > MAX_NAMED ? ` and ${paths.length - MAX_NAMED} more` : '';
  return [
    `${what}: ${paths
      .slice(0, MAX_NAMED)
      .map((path) => JSON.stringify(path))
      .join(', ')}${more}`,
  ];
}
