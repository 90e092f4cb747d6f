import { errorMessage, HermesError } from '../../base/index.ts';
import {
  type ApprovalGuard,
  type Checkpoints,
  CheckpointsOff,
  type Hooks,
  type Logger,
  type ToolHookCall,
} from '../../contracts/index.ts';
import { redactSecrets, shorten } from '../../util/index.ts';

export type CheckpointHookOptions = {
  open(): Promise<Checkpoints>;
  /** Only where a checkpoint is quick. */
  automatic: boolean;
  /** An approval guard in plan mode. A command that it blocks may change files, so a checkpoint is needed. */
  guard: Pick<ApprovalGuard, 'judgeCommand'>;
  workingDirectory: string;
  logger: Logger;
  /** Shows a message to the user. */
  notifyUser(news: string): void;
  onTaken(): void;
};

/** Tools that work on the session or the home directory and never change files of the working directory. */
const NON_FILE_TOOLS: ReadonlySet<string> = new Set(['todo', 'clarify', 'memory', 'skill_manage']);
/** Actions of `process` that write to the stdin of a command, which may then change files. */
const STDIN_ACTIONS: ReadonlySet<unknown> = new Set(['write', 'submit', 'close']);
/**
 * After this many consecutive failures no more checkpoints are attempted, because each attempt may take as long as
 * its timeout.
 */
const MAX_FAILURES = 3;
const MAX_REASON_LENGTH = 100;

/** Takes a checkpoint before the first call of a turn that may change files. If it fails, the call still runs. */
export function createCheckpointHook(options: CheckpointHookOptions): Hooks {
  const { logger, notifyUser } = options;
  let latest: { taskId: string; taken: Promise<void> } | undefined;
  let failures = 0;
  let lastReported: string | undefined;

  async function take(call: ToolHookCall): Promise<void> {
    try {
      const { sessionId, signal } = call;
      await (await options.open()).take(describeCall(call), { sessionId, signal, automatic: options.automatic });
      failures = 0;
      options.onTaken();
    } catch (thrown) {
      if (call.signal.aborted) return;
      if (thrown instanceof CheckpointsOff) {
        failures = MAX_FAILURES;
        if (!thrown.silent) notifyUser(`${thrown.message} ${thrown.hint ?? ''}`.trim());
        return;
      }
      failures += 1;
      logger.warn('could not take a checkpoint', { sessionId: call.sessionId, reason: errorMessage(thrown) });
      const failure = describeFailure(thrown);
      // Report the same failure only once.
      if (failure !== lastReported) notifyUser(failure);
      lastReported = failure;
    }
  }

  return {
    name: 'checkpoints',
    async preToolCall(call) {
      if (failures >= MAX_FAILURES || !(await mayChangeFiles(call, options))) return undefined;
      // Parallel calls wait for the same checkpoint.
      if (latest?.taskId !== call.taskId) latest = { taskId: call.taskId, taken: take(call) };
      await latest.taken;
      return undefined;
    },
  };
}

/** No checkpoint is needed for a command that certainly only reads. */
async function mayChangeFiles(
  { toolName, args, readOnly }: ToolHookCall,
  { guard, workingDirectory }: CheckpointHookOptions,
): Promise<boolean> {
  if (readOnly || NON_FILE_TOOLS.has(toolName)) return false;
  if (toolName === 'process') return STDIN_ACTIONS.has(args['action']);
  const command = args['command'];
  if (toolName !== 'terminal' || typeof command !== 'string') return true;
  return (await guard.judgeCommand(command, workingDirectory)).verdict === 'block';
}

/** A short description by which the user recognises the call. */
function describeCall({ toolName, args }: ToolHookCall): string {
  const subject = [args['command'], args['path'], args['code']].find((value) => typeof value === 'string');
  return shorten(redactSecrets(subject === undefined ? toolName : `${toolName}: ${subject}`), MAX_REASON_LENGTH);
}

function describeFailure(thrown: unknown): string {
  const hint = thrown instanceof HermesError && thrown.hint !== undefined ? ` ${thrown.hint}` : '';
  return `No checkpoint was taken, so the changes of this turn cannot be rolled back: ${errorMessage(thrown)}${hint}`;
}
