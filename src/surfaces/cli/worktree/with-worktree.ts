import { existsSync } from 'node:fs';
import { ConfigurationError, errorMessage, systemClock } from '../../../base/index.ts';
import { homePaths } from '../../../config/index.ts';
import { lineageUpTo } from '../../../contracts/index.ts';
import { findSession, openStore } from '../../../runtime/index.ts';
import { createWorktrees, type WorktreeRecord } from '../../../worktrees/index.ts';
import type { ChatStart } from '../chat.ts';
import { printable } from '../style.ts';
import { describeOutcome, describeMissing, describeCreated } from './describe-worktree.ts';

type Worktrees = ReturnType<typeof createWorktrees>;

/** Runs a chat in the worktree that it requests or that its session had, and cleans up afterwards. */
export async function withWorktree(start: ChatStart, run: (start: ChatStart) => Promise<number>): Promise<number> {
  const { settings, io } = start;
  const folder = homePaths(settings.home).worktreesFolder;
  const worktrees = createWorktrees({ folder, variables: io.env, clock: systemClock });
  const say = (text: string) => {
    if (!start.options.quiet) io.stderr.write(printable(text));
  };
  const record = (await findPrevious(start, worktrees, say)) ?? (await createWorktree(start, worktrees, say));
  if (record === undefined) return run(start);
  // Runs in parallel with the chat; failures to clean up old worktrees are ignored.
  const cleaned = cleanUp(start, worktrees).catch(() => undefined);
  let noted = Promise.resolve();
  const sessions: string[] = [];
  const noteSession = (sessionId: string) => {
    sessions.push(sessionId);
    noted = noted.then(() => worktrees.recordSession(record.id, sessionId)).catch(() => undefined);
  };
  try {
    return await run({ ...start, worktree: { directory: record.directory, noteSession } });
  } finally {
    await Promise.all([noted, cleaned]);
    await leaveWorktree(record, { start, worktrees, sessionId: sessions.at(-1) }).then(say);
  }
}

/** A resumed session continues in its worktree, wherever the chat is started. */
async function findPrevious(
  start: ChatStart,
  worktrees: Worktrees,
  say: (text: string) => void,
): Promise<WorktreeRecord | undefined> {
  const { resume, continueLatest, source = 'cli' } = start.options;
  if (resume === undefined && !continueLatest) return undefined;
  const store = await openStore({ home: start.settings.home, storage: start.settings.storage });
  try {
    const { workingDirectory } = start.io;
    const kind = start.options.once ? 'one_shot' : 'interactive';
    const session = await findSession(store, { resume, continueLatest }, { source, workingDirectory, kind });
    const record = session && worktrees.find(await lineageUpTo(store, session.id));
    if (record === undefined) return undefined;
    if (existsSync(record.directory)) {
      await worktrees.use(record);
      say(`Continuing in the worktree ${record.directory}, branch ${record.branch}.\n`);
      return record;
    }
    say(describeMissing(record, start.io.workingDirectory));
    return undefined;
  } finally {
    await store.close();
  }
}

async function createWorktree(
  { options, settings, io }: ChatStart,
  worktrees: Worktrees,
  say: (text: string) => void,
): Promise<WorktreeRecord | undefined> {
  if (!options.worktree) return undefined;
  const { backend } = settings.terminal;
  if (!['local', 'sandbox'].includes(backend)) {
    throw new ConfigurationError(`--worktree needs local files, but terminal.backend is ${backend}.`, {
      hint: 'Omit --worktree, or set terminal.backend to local.',
    });
  }
  const made = await worktrees.create(io.workingDirectory);
  say(describeCreated(made));
  return made.record;
}

async function cleanUp({ options, settings }: ChatStart, worktrees: Worktrees): Promise<void> {
  if (!options.worktree) return;
  for (const path of await worktrees.cleanUp()) await dropCheckpoints(settings.home, path);
}

type Leaving = { start: ChatStart; worktrees: Worktrees; sessionId: string | undefined };

async function leaveWorktree(record: WorktreeRecord, { start, worktrees, sessionId }: Leaving): Promise<string> {
  try {
    const end = await worktrees.leave(record.id);
    if (end.kind === 'removed') await dropCheckpoints(start.settings.home, record.path);
    return describeOutcome(record, end, sessionId);
  } catch (thrown) {
    return `The worktree ${record.path} was kept: ${errorMessage(thrown)}\n`;
  }
}

/** The checkpoints of a removed worktree can no longer be restored. */
async function dropCheckpoints(home: string, path: string): Promise<void> {
  const { checkpointsFolder } = homePaths(home);
  if (!existsSync(checkpointsFolder)) return;
  const { listDirectories, removeDirectory } = await import('../../../checkpoints/index.ts');
  const kept = (await listDirectories(checkpointsFolder)).filter(({ paths }) =>
    `${paths.directory}/`.startsWith(`${path}/`),
  );
  for (const { paths } of kept) await removeDirectory(paths);
}
