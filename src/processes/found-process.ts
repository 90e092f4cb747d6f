import type { Clock } from '../base/index.ts';
import type { FoundProcess } from '../contracts/index.ts';
import type { EntryEvents, ProcessEntry, ProcessFacts } from './process-entry.ts';
import { createRollingText } from './rolling-text.ts';
import { untilSettled } from './until-settled.ts';

/** How often it is looked at while someone waits for its end: nobody tells of it. */
const LOOK_EVERY_MS = 1000;

export type FoundOptions = {
  facts: ProcessFacts;
  /** Undefined where it is gone. */
  process: FoundProcess | undefined;
  /** What it had printed before its program was killed, as far as that was saved. */
  printed: string;
  bufferSize: number;
  clock: Clock;
  events: EntryEvents;
};

/** A process that a killed program left behind. */
export function createFoundProcess(options: FoundOptions): ProcessEntry {
  const { facts, process, clock, events } = options;
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
    for (await untilSettled(look(), signal); ending === undefined; await untilSettled(look(), signal)) {
      await clock.sleep(LOOK_EVERY_MS, signal);
    }
  }

  const entry: ProcessEntry = {
    ...facts,
    found: true,
    output,
    openLine: '',
    ending: () => ending,
    look,
    untilEnded,
    write: async () => {
      throw new Error('its input was lost when the program that started it was killed');
    },
    closeInput: () => undefined,
    async kill() {
      const gone = (await process?.kill()) ?? true;
      await look();
      return gone;
    },
    noteEndingRead: () => events.onEndingRead(entry),
    facts: () => ({ ...facts, sessionId: entry.sessionId, ending }),
  };
  return entry;
}
