import type { Clock } from '../base/index.ts';
import type { BackgroundEnding, RunningProcess } from '../contracts/index.ts';
import type { EntryEvents, ProcessEntry, ProcessFacts } from './process-entry.ts';
import { createRollingText } from './rolling-text.ts';
import { abortable } from '../util/index.ts';

export type StartedOptions = {
  facts: Omit<ProcessFacts, 'ending' | 'notifyOnComplete' | 'pid' | 'record'>;
  running: RunningProcess;
  bufferSize: number;
  clock: Clock;
  events: EntryEvents;
  notifyOnComplete(): boolean;
  /** Sees what was printed, in readable form. */
  onText(text: string): void;
  /** Awaited before the end is told, so that what was printed is told first. */
  onTextEnd(): Promise<void>;
};

/** A process that this program started. */
export function createStartedProcess(options: StartedOptions): ProcessEntry {
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
    found: false,
    output,
    get openLine() {
      return openLine;
    },
    ending: () => ending,
    look: async () => undefined,
    untilEnded: (signal) => abortable(ended, signal),
    async write(data) {
      await running.write(data);
      openLine = (openLine + data).split(/[\r\n]/).at(-1) ?? '';
    },
    closeInput: () => running.closeInput(),
    async kill() {
      const gone = await running.kill();
      // Its ending comes a moment later; what cannot be ended has none.
      if (gone) await ended;
      return gone;
    },
    noteEndingRead: () => events.onEndingRead(entry),
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
