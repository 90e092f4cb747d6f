import { type Clock, newId } from '../base/index.ts';
import {
  type BackgroundEnding,
  type BackgroundRequest,
  type Environment,
  type OrphanedProcess,
  type ProcessRecord,
  ProcessTableFull,
  type RunningProcess,
  type ForegroundCommand,
} from '../contracts/index.ts';
import { abortable, redactSecrets } from '../util/index.ts';
import { nameProcess } from './describe-process.ts';
import { createPolledProcess } from './polled-process.ts';
import { createOutputWatch, type OutputWatch } from './output-watch.ts';
import type { EntryEvents, ProcessEntry, StoredProcess } from './process-entry.ts';
import { createRollingText } from './rolling-text.ts';
import { BUFFER_SIZE, MAX_PROCESSES, type TableState } from './table-state.ts';

/** The session that starts a process and the environment it runs in. */
export type ProcessOwner = { sessionId: string; environment: Environment };

export async function startProcess(
  parts: TableState,
  request: BackgroundRequest,
  starter: ProcessOwner,
): Promise<ProcessEntry> {
  const release = parts.rows.reserve();
  if (release === undefined) throw new ProcessTableFull(`${MAX_PROCESSES} background processes are already running`);
  try {
    const { command, workingDirectory, pty } = request;
    const endWithProgram = !parts.keepsRunning;
    const environment = (request.outsideSandbox && starter.environment.sandbox?.outside) || starter.environment;
    const running = await environment.start(command, { workingDirectory, pty, killOnExit: endWithProgram });
    const entry = addStartedProcess(parts, request, { ...starter, environment }, running);
    // Saved before the id is returned, so that a process is never lost if Hermes is killed right after.
    await parts.save();
    // The table was closed during the start and has already killed all other processes.
    if (parts.closed.signal.aborted && !parts.keepsRunning) await entry.kill();
    return entry;
  } finally {
    release();
  }
}

function addStartedProcess(
  parts: TableState,
  request: BackgroundRequest,
  { sessionId, environment }: ProcessOwner,
  running: RunningProcess,
): ProcessEntry {
  const { clock, events, exitNotices } = parts;
  const { command, workingDirectory: directory, pty } = request;
  const id = newId('proc');
  if (request.notifyOnComplete) exitNotices.set(id, {});
  const watch = watchOutput(parts, request, id, sessionId);
  const entry = createStartedProcess({
    running,
    clock,
    events,
    bufferSize: BUFFER_SIZE,
    facts: {
      id,
      sessionId,
      command,
      directory,
      place: environment.location,
      startedAt: clock.now(),
      pty: pty !== undefined,
    },
    notifyOnComplete: () => exitNotices.has(id),
    onText: (text) => watch?.push(text),
    onTextEnd: async () => watch?.end(),
  });
  parts.rows.add(entry);
  return entry;
}

function watchOutput(
  { clock, limit, notices, exitNotices }: TableState,
  { command, watchPatterns: patterns = [] }: BackgroundRequest,
  id: string,
  sessionId: string,
): OutputWatch | undefined {
  if (patterns.length === 0) return undefined;
  const name = nameProcess({ id, command });
  return createOutputWatch({
    patterns,
    clock,
    limit,
    notify: (lines) =>
      notices.add(sessionId, `${id} lines`, `Background process ${name} printed:\n${redactSecrets(lines)}`),
    onDisabled: (reason) => void exitNotices.set(id, { reason }),
  });
}

type StartedOptions = {
  facts: Omit<StoredProcess, 'ending' | 'notifyOnComplete' | 'pid' | 'record'>;
  running: RunningProcess;
  bufferSize: number;
  clock: Clock;
  events: EntryEvents;
  notifyOnComplete(): boolean;
  /** Called with decoded output. */
  onText(text: string): void;
  /** Awaited before the end is announced, so that notices about output come first. */
  onTextEnd(): Promise<void>;
};

/** A process that this instance of Hermes started. */
function createStartedProcess(options: StartedOptions): ProcessEntry {
  const { facts, running, clock, events } = options;
  const output = createRollingText(options.bufferSize);
  let ending: BackgroundEnding | undefined;
  let openLine = '';

  running.onOutput((text) => {
    options.onText(output.push(text));
    events.onOutput(entry);
  });

  async function follow(): Promise<void> {
    const how = await running.ended;
    options.onText(output.end());
    ending = { ...how, endedAt: clock.now() };
    await options.onTextEnd();
    events.onEnded(entry);
  }

  const entry: ProcessEntry = {
    ...facts,
    pid: running.pid,
    recovered: false,
    output,
    get openLine() {
      return openLine;
    },
    ending: () => ending,
    checkEnded: async () => undefined,
    untilEnded: (signal) => abortable(ended, signal),
    async write(data) {
      await running.write(data);
      openLine = (openLine + data).split(/[\r\n]/).at(-1) ?? '';
    },
    closeInput: () => running.closeInput(),
    async kill() {
      const gone = await running.kill();
      // The exit event follows shortly; a process that cannot be killed has none.
      if (gone) await ended;
      return gone;
    },
    markEndingRead: () => events.onEndingRead(entry),
    facts: () => ({
      ...facts,
      pid: running.pid,
      record: running.record,
      ending,
      notifyOnComplete: options.notifyOnComplete(),
    }),
  };
  const ended = follow();
  return entry;
}

/** Adds an orphaned process, which a finished command left running, to the table. */
export async function adoptOrphan(
  parts: TableState,
  { command, workingDirectory: directory }: ForegroundCommand,
  left: OrphanedProcess,
  { sessionId, environment }: ProcessOwner,
): Promise<ProcessEntry> {
  const release = parts.rows.reserve();
  if (release === undefined) throw new ProcessTableFull(`${MAX_PROCESSES} background processes are already running`);
  try {
    const { clock, events, keepsRunning } = parts;
    if (!keepsRunning) left.killOnExit();
    const { pid, record } = left;
    const entry = createPolledProcess({
      clock,
      events,
      bufferSize: BUFFER_SIZE,
      savedOutput: '',
      process: left,
      recovered: false,
      stdinError: 'its stdin was closed when the command that started it exited',
      facts: {
        id: newId('proc'),
        sessionId,
        command,
        directory,
        place: environment.location,
        pid,
        record,
        startedAt: clock.now(),
        pty: false,
        notifyOnComplete: false,
        ending: undefined,
      },
    });
    left.onOutput(entry.pushOutput);
    parts.rows.add(entry);
    await parts.save();
    return entry;
  } finally {
    release();
  }
}

/** Records a foreground command for crash recovery. It gets no row, because no tool manages it. */
export async function recordForegroundCommand(
  parts: TableState,
  { command, workingDirectory: directory }: ForegroundCommand,
  record: ProcessRecord,
  { sessionId, environment }: ProcessOwner,
): Promise<() => void> {
  // The command ended while the table was being loaded, and Hermes is about to exit.
  if (parts.closed.signal.aborted) return () => undefined;
  const id = newId('proc');
  const facts: StoredProcess = {
    id,
    sessionId,
    command,
    directory,
    place: environment.location,
    record,
    pid: record.pid,
    startedAt: parts.clock.now(),
    pty: false,
    notifyOnComplete: false,
    ending: undefined,
  };
  parts.foreground.set(id, facts);
  await parts.save();
  return () => {
    parts.foreground.delete(id);
    if (!parts.closed.signal.aborted) void parts.save();
  };
}
