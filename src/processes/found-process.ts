import type { Clock } from '../base/index.ts';
import type { FoundProcess } from '../contracts/index.ts';
import { abortable } from '../util/index.ts';
import type { EntryEvents, ProcessEntry, ProcessFacts } from './process-entry.ts';
import { createRollingText } from './rolling-text.ts';

/** How often it is looked at while someone waits for its end: nobody tells of it. */
const LOOK_EVERY_MS = 1000;

export type FoundOptions = {
  facts: ProcessFacts;
  /** Undefined where it is gone. */
  process: FoundProcess | undefined;
  /** What it had printed before its program was killed, as far as that was saved. */
  printed: string;
  /** A killed program left it; otherwise a command of this one did. */
  found: boolean;
  /** Why nothing can be written to it. */
  noInput: string;
  bufferSize: number;
  clock: Clock;
  events: EntryEvents;
};

/** A process that somebody left behind: a program that was killed, or a command that has ended. */
export function createFoundProcess(options: FoundOptions): ProcessEntry & { pushOutput(text: string): void } {
  const { facts, process, clock, events, found, noInput } = options;
  const output = createRollingText(options.bufferSize);
  output.push(options.printed);
  // What became of it meanwhile nobody knows.
  const endedUnseen = () => ({ exitCode: undefined, signalName: undefined, endedAt: clock.now() });
  let ending = facts.ending ?? (process === undefined ? endedUnseen() : undefined);

  async function look(): Promise<void> {
    if (ending !== undefined || (await process?.isRunning())) return;
    // Someone else may have found out meanwhile.
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
