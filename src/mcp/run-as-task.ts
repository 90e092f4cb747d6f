import { type Clock, isJsonObject, type JsonObject, type JsonValue } from '../base/index.ts';
import { ServerFailure } from './server-failure.ts';
import type { McpSession } from './session.ts';

/** Limits for the interval that a server suggests between two status requests. */
const [MIN_POLL_MS, MAX_POLL_MS, DEFAULT_POLL_MS] = [50, 10_000, 1000];
/** A task that reports progress may take this many times the timeout of a call, like a call that reports progress. */
const MAX_TIMEOUTS = 4;
/** How long a server may take to answer a status or cancel request. */
const STATUS_TIMEOUT_MS = 30_000;
const STATUSES = ['working', 'input_required', 'completed', 'failed', 'cancelled'] as const;
const ENDED: ReadonlySet<(typeof STATUSES)[number]> = new Set(['completed', 'failed', 'cancelled']);

export type TaskOptions = {
  serverName: string;
  signal: AbortSignal;
  /** How long the task may run without a change of its status. */
  timeoutMs: number;
  clock: Clock;
  onStatus(text: string): void;
};

type TaskStatus = { id: string; status: (typeof STATUSES)[number]; message: string; pollMs: number };

/** Runs a request as a task: starts it, polls its status, and fetches its result. Cancels it if that fails. */
export async function runAsTask(
  session: McpSession,
  { method, params }: { method: string; params: JsonObject },
  options: TaskOptions,
): Promise<JsonValue> {
  const { signal, timeoutMs } = options;
  const maxMs = timeoutMs * MAX_TIMEOUTS;
  const started = await session.request(method, { ...params, task: { ttl: maxMs } }, { signal, timeoutMs });
  const task = readTask(isJsonObject(started) ? started['task'] : undefined);
  // The server may ignore the request for a task and answer immediately.
  if (task === undefined) return started;
  const { clock } = options;
  const endsAt = clock.now() + maxMs;
  let latest = task;
  try {
    latest = await waitForTask(session, task, { ...options, endsAt });
    // If the task needs input, the server sends its questions while this request is waiting.
    return await session.request('tasks/result', { taskId: task.id }, { signal, timeoutMs: endsAt - clock.now() });
  } catch (thrown) {
    // Not awaited: the outcome of the call is known, and the server may no longer answer.
    if (!ENDED.has(latest.status)) cancelTask(session, task.id);
    throw thrown;
  }
}

/** Polls until the task has ended or needs input, and returns its last status. */
async function waitForTask(
  session: McpSession,
  task: TaskStatus,
  { serverName, signal, timeoutMs, clock, onStatus, endsAt }: TaskOptions & { endsAt: number },
): Promise<TaskStatus> {
  let last: TaskStatus = { ...task, message: '' };
  let current = task;
  let deadline = clock.now() + timeoutMs;
  while (current.status === 'working') {
    if (current.message !== last.message) {
      onStatus(current.message);
      deadline = clock.now() + timeoutMs;
    }
    if (clock.now() >= Math.min(deadline, endsAt)) throw taskTimeout(serverName, timeoutMs);
    await clock.sleep(current.pollMs, signal);
    const answer = await session.request('tasks/get', { taskId: task.id }, { signal, timeoutMs: STATUS_TIMEOUT_MS });
    last = current;
    // An invalid status means that the server does not follow the protocol; its result says what happened.
    current = readTask(answer) ?? { ...current, status: 'completed' };
  }
  return current;
}

function taskTimeout(serverName: string, timeoutMs: number): ServerFailure {
  return new ServerFailure(
    'unreachable',
    `${serverName} timed out: its task did not change for ${timeoutMs / 1000} s and was cancelled. The call may or may not have taken effect.`,
    { isOwnText: true },
  );
}

function cancelTask(session: McpSession, taskId: string): void {
  session.request('tasks/cancel', { taskId }, { timeoutMs: STATUS_TIMEOUT_MS }).catch(() => undefined);
}

/** Reads the status of a task; undefined if it is none. */
export function readTask(given: JsonValue | undefined): TaskStatus | undefined {
  if (given === undefined || !isJsonObject(given)) return undefined;
  const { taskId, status, statusMessage, pollInterval } = given;
  const known = STATUSES.find((each) => each === status);
  if (typeof taskId !== 'string' || known === undefined) return undefined;
  const wanted = Number.isFinite(pollInterval) ? Number(pollInterval) : DEFAULT_POLL_MS;
  return {
    id: taskId,
    status: known,
    message: typeof statusMessage === 'string' ? statusMessage : '',
    pollMs: Math.min(Math.max(wanted, MIN_POLL_MS), MAX_POLL_MS),
  };
}
