import { errorMessage, HermesError } from '../../base/index.ts';
import type { ApprovalGuard, Checkpoints, Hooks, Logger, ToolHookCall } from '../../contracts/index.ts';
import { redactSecrets, shorten } from '../../util/index.ts';

export type CheckpointHookOptions = {
  open(): Promise<Checkpoints>;
  /** One in plan mode: what it blocks may change something. */
  guard: Pick<ApprovalGuard, 'judgeCommand'>;
  workingDirectory: string;
  logger: Logger;
  /** For the person. */
  tell(news: string): void;
  onTaken(): void;
};

/** These work on the session or on the home, and on no file of the working directory. */
const LEAVE_FILES_ALONE: ReadonlySet<string> = new Set(['todo', 'clarify', 'memory', 'skill_manage']);
/** Actions of `process` that hand something to a command, which may then do anything. */
const FEEDS_A_COMMAND: ReadonlySet<unknown> = new Set(['write', 'submit', 'close']);
/** After so many failures in a row it is not tried any more: each may cost as much time as it is allowed. */
const MAX_FAILURES = 3;
const MAX_REASON_LENGTH = 100;

/** Keeps the files before the first call of a turn that may change some. Whatever comes of it, the call goes on. */
export function createCheckpointHook(options: CheckpointHookOptions): Hooks {
  const { logger, tell } = options;
  let latest: { taskId: string; taken: Promise<void> } | undefined;
  let failures = 0;
  let told: string | undefined;

  async function take(call: ToolHookCall): Promise<void> {
    try {
      const { sessionId, signal } = call;
      await (await options.open()).take(describeCall(call), { sessionId, signal });
      failures = 0;
      options.onTaken();
    } catch (thrown) {
      if (call.signal.aborted) return;
      failures += 1;
      logger.warn('no checkpoint was taken', { sessionId: call.sessionId, reason: errorMessage(thrown) });
      const news = describeFailure(thrown);
      // Said once: it will hardly be another the next time.
      if (news !== told) tell(news);
      told = news;
    }
  }

  return {
    name: 'checkpoints',
    async preToolCall(call) {
      if (failures >= MAX_FAILURES || !(await mayChangeFiles(call, options))) return undefined;
      // Calls beside each other wait for the same one.
      if (latest?.taskId !== call.taskId) latest = { taskId: call.taskId, taken: take(call) };
      await latest.taken;
      return undefined;
    },
  };
}

/** A command that surely only reads costs no checkpoint. */
async function mayChangeFiles(
  { toolName, args, readOnly }: ToolHookCall,
  { guard, workingDirectory }: CheckpointHookOptions,
): Promise<boolean> {
  if (readOnly || LEAVE_FILES_ALONE.has(toolName)) return false;
  if (toolName === 'process') return FEEDS_A_COMMAND.has(args['action']);
  const command = args['command'];
  if (toolName !== 'terminal' || typeof command !== 'string') return true;
  return (await guard.judgeCommand(command, workingDirectory)).verdict === 'block';
}

/** What a person recognises the call by. */
function describeCall({ toolName, args }: ToolHookCall): string {
  const subject = [args['command'], args['path'], args['code']].find((value) => typeof value === 'string');
  return shorten(redactSecrets(subject === undefined ? toolName : `${toolName}: ${subject}`), MAX_REASON_LENGTH);
}

function describeFailure(thrown: unknown): string {
  const hint = thrown instanceof HermesError && thrown.hint !== undefined ? ` ${thrown.hint}` : '';
  return `No checkpoint was taken, so what this turn changes cannot be rolled back: ${errorMessage(thrown)}${hint}`;
}
