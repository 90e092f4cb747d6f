import { type Clock, errorMessage } from '../../base/index.ts';
import { createApprovalGuard } from '../../approvals/index.ts';
import { homePaths, readCheckpointSettings } from '../../config/index.ts';
import type { Checkpoints, Hooks, Logger, RestoreReport } from '../../contracts/index.ts';
import type { AgentBlueprint } from '../agent-blueprint.ts';
import { createCheckpointHook } from './checkpoint-hook.ts';
import type { NoticeBoard } from './notice-board.ts';

type CheckpointBlueprint = Pick<AgentBlueprint, 'settings' | 'workingDirectory' | 'checkpoints'>;

/** The checkpoints of an agent's working directory. */
export interface AgentCheckpoints {
  /** Why none are taken; undefined where they are. Earlier ones can be looked at and restored all the same. */
  readonly off: string | undefined;
  /** Around the tool calls of the agent. */
  readonly hooks: readonly Hooks[];
  open(): Promise<Checkpoints>;
  /** Messages for the person about these checkpoints, each returned once. */
  news(): string[];
  /** Restores files, and tells the model with the next message of the session. */
  restore(sessionId: string, number: number, paths?: readonly string[]): Promise<RestoreReport>;
  close(): Promise<void>;
}

/** The checkpoints of all agents of a process. */
export interface RuntimeCheckpoints {
  forAgent(blueprint: CheckpointBlueprint): AgentCheckpoints;
  /** The messages about all directories. */
  news(): string[];
  warningsFor(blueprint: CheckpointBlueprint): string[];
  close(): Promise<void>;
}

/** How long the end of the program waits for pruning. */
const PRUNE_MS = 3_000;

export function openCheckpoints(parts: CheckpointParts): RuntimeCheckpoints {
  // Agents in the same directory share its checkpoints: a checkpoint of one must not wait for the pruning of another.
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
    news: () => [...directories.values()].flatMap(({ news }) => news.splice(0)),
    warningsFor(blueprint) {
      const off = whyOff(blueprint);
      return off === undefined || off === NOT_WANTED ? [] : [`Checkpoints are off: ${off}.`];
    },
    async close() {
      await Promise.all(directories.values().map(({ pruning }) => pruning.stop(PRUNE_MS)));
    },
  };
}

type CheckpointParts = { logger: Logger; board: NoticeBoard; clock: Clock };

/** What the agents that work in one directory share. */
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
  // Pruning is stopped, because it can be done later and callers should not wait for it.
  const open = async () => {
    await pruning.stop();
    return load();
  };
  const hook = createCheckpointHook({
    open,
    workingDirectory,
    logger,
    guard: createApprovalGuard({ planMode: true, hermesHome: settings.home }),
    tell: (text) => void news.push(text),
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
  const off = whyOff(blueprint);
  return {
    off,
    open,
    hooks: off === undefined ? [hook] : [],
    news: () => news.splice(0),
    async restore(sessionId, number, paths = []) {
      const report = await (await open()).restore(number, { sessionId, paths });
      const told = describeRestore(number, report);
      if (told !== undefined) board.add(sessionId, told);
      return report;
    },
    close,
  };
}

const NOT_WANTED = 'start with --checkpoints, or set checkpoints.enabled to true';

function whyOff({ settings, checkpoints }: CheckpointBlueprint): string | undefined {
  if (!(checkpoints ?? settings.checkpoints?.enabled ?? false)) return NOT_WANTED;
  const { backend } = settings.terminal;
  // Files of another machine, or of a container, are not ours to keep.
  if (backend === 'local') return undefined;
  return `terminal.backend is ${backend}, and only files that commands reach directly (local) can be kept`;
}

/** Loaded when it is first needed: most turns change nothing. */
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

/** Prunes in the background after a checkpoint was taken, so that no call waits for it. */
function createPruning(open: () => Promise<Checkpoints>, logger: Logger) {
  let running: { done: Promise<void>; stopping: AbortController } | undefined;
  const prune = async ({ signal }: AbortController) => {
    try {
      await (await open()).prune(signal);
    } catch (thrown) {
      if (!signal.aborted) logger.warn('checkpoints could not be pruned', { reason: errorMessage(thrown) });
    }
  };
  return {
    begin() {
      const stopping = new AbortController();
      running ??= { done: prune(stopping), stopping };
    },
    /** Whatever is left is pruned the next time. */
    async stop(afterMs = 0) {
      if (running === undefined) return;
      const { done, stopping } = running;
      const timer = setTimeout(() => stopping.abort(new Error('it has to wait')), afterMs);
      await done;
      clearTimeout(timer);
      running = undefined;
    },
  };
}

const MAX_NAMED = 30;

/** What the model has to know about files that it remembers otherwise; undefined where none has changed. */
function describeRestore(number: number, { written, removed }: RestoreReport): string | undefined {
  if (written.length + removed.length === 0) return undefined;
  const lines = [
    `The user went back to checkpoint ${number}: files of the working directory are as they were before. What you changed in them since is undone. Read a file again before you rely on it or change it.`,
    ...namesOf('Put back', written),
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
