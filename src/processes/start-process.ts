import { newId } from '../base/index.ts';
import { type BackgroundRequest, type Environment, ProcessTableFull, type RunningProcess } from '../contracts/index.ts';
import { redactSecrets } from '../util/index.ts';
import { nameProcess } from './describe-process.ts';
import { createOutputWatch, type OutputWatch } from './output-watch.ts';
import type { ProcessEntry } from './process-entry.ts';
import { createStartedProcess } from './started-process.ts';
import { BUFFER_SIZE, MOST_PROCESSES, type TableParts } from './table-parts.ts';

/** Who starts a process, and where. */
export type Starter = { sessionId: string; environment: Environment };

export async function startProcess(
  parts: TableParts,
  request: BackgroundRequest,
  starter: Starter,
): Promise<ProcessEntry> {
  const release = parts.rows.reserve();
  if (release === undefined) throw new ProcessTableFull(`${MOST_PROCESSES} background processes run already`);
  try {
    const { command, workingDirectory, pty } = request;
    const endWithProgram = !parts.keepsRunning;
    const running = await starter.environment.start(command, { workingDirectory, pty, endWithProgram });
    const entry = enter(parts, request, starter, running);
    // On disk before anybody hears of it: a kill in the next moment must not lose it.
    await parts.save();
    // The program is leaving, and has asked all others to end already.
    if (parts.closed.signal.aborted && !parts.keepsRunning) await entry.kill();
    return entry;
  } finally {
    release();
  }
}

function enter(
  parts: TableParts,
  request: BackgroundRequest,
  { sessionId, environment }: Starter,
  running: RunningProcess,
): ProcessEntry {
  const { clock, events, wanted } = parts;
  const { command, workingDirectory: directory, pty } = request;
  const id = newId('proc');
  if (request.notifyOnComplete) wanted.set(id, {});
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
      place: environment.place,
      startedAt: clock.now(),
      pty: pty !== undefined,
    },
    notifyOnComplete: () => wanted.has(id),
    onText: (text) => watch?.push(text),
    onTextEnd: async () => watch?.end(),
  });
  parts.rows.add(entry);
  return entry;
}

function watchOutput(
  { clock, limit, notices, wanted }: TableParts,
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
      notices.add(sessionId, `${id} lines`, `The background process ${name} printed:\n${redactSecrets(lines)}`),
    giveUp: (reason) => void wanted.set(id, { reason }),
  });
}
