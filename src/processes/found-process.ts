import type { Clock } from '../base/index.ts';
import type { FoundProcess } from '../contracts/index.ts';
import { abortable } from '../util/index.ts';
import type { EntryEvents, ProcessEntry, ProcessFacts } from './process-entry.ts';
import { createRollingText } from './rolling-text.ts';

/** Poll interval while someone waits for the process to exit, because there is no exit event for it. */
const LOOK_EVERY_MS = 1000;

export type FoundOptions = {
  facts: ProcessFacts;
  /** Undefined if the process no longer runs. */
  process: FoundProcess | undefined;
  /** The saved output from before Hermes was killed. */
  printed: string;
  /** True for a recovered process, false for an orphaned one. */
  found: boolean;
  /** The reason that `write` fails with. */
  noInput: string;
  bufferSize: number;
  clock: Clock;
  events: EntryEvents;
};

/** A process that is not a child of this one: recovered after a kill of Hermes, or orphaned by a finished command. */
export function createFoundProcess(options: FoundOptions): ProcessEntry & { pushOutput(text: string): void } {
  const { facts, process, clock, events, found, noInput } = options;
  const output = createRollingText(options.bufferSize);
  output.push(options.printed);
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
      await clock.sleep(LOOK_EVERY_MS, signal);
    }
  }

  const entry = {
    ...facts,
    found,
    output,
    pushOutput(text: string) {
      output.push(text);
      events.onOutput(entry);
    },
    openLine: '',
    ending: () => ending,
    look,
    untilEnded,
    write: async () => {
      throw new Error(noInput);
    },
    closeInput: () => undefined,
    async kill() {
      const gone = (await process?.kill()) ?? true;
      await look();
      return gone;
    },
    noteEndingRead: () => events.onEndingRead(entry),
    facts: () => ({ ...facts, ending }),
  } satisfies ProcessEntry & { pushOutput(text: string): void };
  return entry;
}
