import type { Clock } from '../base/index.ts';
import type { DetachedProcess } from '../contracts/index.ts';
import { abortable } from '../util/index.ts';
import type { EntryEvents, ProcessEntry, StoredProcess } from './process-entry.ts';
import { createRollingText } from './rolling-text.ts';

/** Poll interval while someone waits for the process to exit, because there is no exit event for it. */
const POLL_INTERVAL_MS = 1000;

export type PolledProcessOptions = {
  facts: StoredProcess;
  /** Undefined if the process no longer runs. */
  process: DetachedProcess | undefined;
  /** The saved output from before Hermes was killed. */
  savedOutput: string;
  /** True for a recovered process, false for an orphaned one. */
  recovered: boolean;
  /** The reason that `write` fails with. */
  stdinError: string;
  bufferSize: number;
  clock: Clock;
  events: EntryEvents;
};

/** A process that is not a child of this one: recovered after a kill of Hermes, or orphaned by a finished command. */
export function createPolledProcess(options: PolledProcessOptions): ProcessEntry & { pushOutput(text: string): void } {
  const { facts, process, clock, events, recovered, stdinError } = options;
  const output = createRollingText(options.bufferSize);
  output.push(options.savedOutput);
  // Its exit code is unknown, because it was not a child of this process.
  const endedUnseen = () => ({ exitCode: undefined, signalName: undefined, endedAt: clock.now() });
  let ending = facts.ending ?? (process === undefined ? endedUnseen() : undefined);

  async function look(): Promise<void> {
    if (ending !== undefined || (await process?.isRunning())) return;
    // A concurrent call may have recorded the ending during the await.
    if (ending !== undefined) return;
    ending = endedUnseen();
    events.onEnded(entry);
  }

  async function untilEnded(signal: AbortSignal): Promise<void> {
    for (await abortable(look(), signal); ending === undefined; await abortable(look(), signal)) {
      await clock.sleep(POLL_INTERVAL_MS, signal);
    }
  }

  const entry = {
    ...facts,
    recovered,
    output,
    pushOutput(text: string) {
      output.push(text);
      events.onOutput(entry);
    },
    openLine: '',
    ending: () => ending,
    checkEnded: look,
    untilEnded,
    write: async () => {
      throw new Error(stdinError);
    },
    closeInput: () => undefined,
    async kill() {
      const gone = (await process?.kill()) ?? true;
      await look();
      return gone;
    },
    markEndingRead: () => events.onEndingRead(entry),
    facts: () => ({ ...facts, ending }),
  } satisfies ProcessEntry & { pushOutput(text: string): void };
  return entry;
}
