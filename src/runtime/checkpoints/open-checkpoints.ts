import { type Clock, errorMessage, systemClock } from '../../base/index.ts';
import { createApprovalGuard } from '../../approvals/index.ts';
import { homePaths, readCheckpointSettings } from '../../config/index.ts';
import type { Checkpoints, Hooks, Logger, RestoreReport } from '../../contracts/index.ts';
import type { RuntimeOptions } from '../create-runtime.ts';
import { createCheckpointHook } from './checkpoint-hook.ts';
import type { NoticeBoard } from './notice-board.ts';
import { describeRestore } from './describe-restore.ts';

/** The checkpoints of the working directory, for agents and surfaces. */
export interface RuntimeCheckpoints {
  /** Why none are taken; undefined where they are. Earlier ones can be looked at and gone back to all the same. */
  readonly off: string | undefined;
  open(): Promise<Checkpoints>;
  /** What the person should hear about them, once. */
  news(): string[];
  /** Goes back, and tells the model with its next message. */
  restore(sessionId: string, number: number, paths?: readonly string[]): Promise<RestoreReport>;
}

export type CheckpointParts = RuntimeCheckpoints & {
  /** Around the calls of every agent. */
  hooks: readonly Hooks[];
  warnings: readonly string[];
  close(): Promise<void>;
};

/** How long the end of the program waits for what is being tidied up. */
const TIDY_MS = 3_000;

export function openCheckpoints(
  options: Pick<RuntimeOptions, 'settings' | 'workingDirectory' | 'checkpoints'>,
  { logger, board, clock = systemClock }: { logger: Logger; board: NoticeBoard; clock?: Clock },
): CheckpointParts {
  const { settings, workingDirectory } = options;
  const wanted = options.checkpoints ?? settings.checkpoints?.enabled ?? false;
  const off = wanted ? findObstacle(settings.terminal.backend) : NOT_WANTED;
  const load = openLater(options, clock);
  const waiting: string[] = [];
  const tidying = createTidying(load, logger);
  // Whoever wants them does not wait for what can be done later.
  const open = async () => {
    await tidying.stop();
    return load();
  };
  const hook = () =>
    createCheckpointHook({
      ...{ open, workingDirectory, logger, guard: createApprovalGuard({ planMode: true, hermesHome: settings.home }) },
      tell: (news) => void waiting.push(news),
      onTaken: tidying.begin,
    });
  return {
    off,
    open,
    news: () => waiting.splice(0),
    async restore(sessionId, number, paths = []) {
      const report = await (await open()).restore(number, { sessionId, paths });
      const told = describeRestore(number, report);
      if (told !== undefined) board.add(sessionId, told);
      return report;
    },
    hooks: off === undefined ? [hook()] : [],
    warnings: wanted && off !== undefined ? [`Checkpoints are off: ${off}.`] : [],
    close: () => tidying.stop(TIDY_MS),
  };
}

const NOT_WANTED = 'start with --checkpoints, or set checkpoints.enabled to true';

/** Files that are elsewhere, or behind a wall that commands see others through, are not ours to keep. */
function findObstacle(backend: string): string | undefined {
  if (backend === 'local') return undefined;
  return `terminal.backend is ${backend}, and only files that commands reach directly (local) can be kept`;
}

/** Loaded when it is first needed: most turns change nothing. */
function openLater(
  { settings, workingDirectory }: Pick<RuntimeOptions, 'settings' | 'workingDirectory'>,
  clock: Clock,
) {
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

/** Keeps the limits behind a checkpoint's back, so that no call waits for it. */
function createTidying(open: () => Promise<Checkpoints>, logger: Logger) {
  let running: { done: Promise<void>; stopping: AbortController } | undefined;
  const tidy = async ({ signal }: AbortController) => {
    try {
      await (await open()).prune(signal);
    } catch (thrown) {
      if (!signal.aborted) logger.warn('checkpoints could not be pruned', { reason: errorMessage(thrown) });
    }
  };
  return {
    begin() {
      const stopping = new AbortController();
      running ??= { done: tidy(stopping), stopping };
    },
    /** It goes on the next time. */
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
