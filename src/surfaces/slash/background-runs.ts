import { errorMessage } from '../../base/index.ts';
import { type ConversationTurn, openConversation } from '../../conversations/index.ts';
import type { AgentBlueprint, Runtime } from '../../runtime/index.ts';
import { shorten } from '../../util/index.ts';
import { printable } from '../text/style.ts';

/** Background turns of a chat, each in its own session. */
export interface BackgroundRuns {
  /** Starts a background turn. */
  start(prompt: string): Promise<BackgroundRun>;
  list(): readonly BackgroundRun[];
  /** Returns false if no running turn has this number. */
  stop(number: number): boolean;
  /** Interrupts all background turns, and returns those that were running once they have ended. */
  close(): Promise<readonly BackgroundRun[]>;
}

export type BackgroundRun = {
  number: number;
  sessionId: string;
  prompt: string;
  startedAt: number;
  /** The exit reason; undefined while the turn is running. */
  ended: string | undefined;
};

const MAX_PROMPT = 60;

type Entry = { run: BackgroundRun; turn: ConversationTurn; done: Promise<void> };

/** Background turns are unattended, so everything that needs approval is denied. */
export function createBackgroundRuns(options: {
  runtime: Runtime;
  /** What the agents of the turns are created from; the blueprint of the runtime by default. */
  blueprint?(): Promise<AgentBlueprint>;
  now(): number;
  /** Prints how a turn ended, and its answer in Markdown. */
  announce(text: string, answer: string): void;
  /** Called with the number of running turns when it has changed. */
  onCount?(running: number): void;
  /** Closes each session after its turn, with the processes that it started. By default it stays open with the chat. */
  closesSessions?: boolean;
}): BackgroundRuns {
  const { runtime, announce, now, onCount = () => undefined } = options;
  const runs: Entry[] = [];
  let isClosing = false;
  const running = () => runs.filter(({ run }) => run.ended === undefined);

  function end(run: BackgroundRun, reason: string, answer: string): void {
    run.ended = reason;
    onCount(running().length);
    // While the chat closes, all turns that were stopped are reported together.
    if (!isClosing) announce(describeEnd(run), answer);
  }

  async function follow(run: BackgroundRun, turn: ConversationTurn): Promise<void> {
    try {
      const result = await turn.result;
      run.sessionId = result.sessionId;
      end(run, result.exitReason, result.finalResponse || (result.error?.message ?? ''));
    } catch (thrown) {
      runtime.logger.error('background turn failed', { sessionId: run.sessionId }, thrown);
      end(run, 'failed', errorMessage(thrown));
    }
  }

  return {
    async start(prompt) {
      // Users return to these sessions, so they get a title.
      const afterTurn = ['learn', 'trajectory', 'title'] as const;
      const common = (await options.blueprint?.()) ?? runtime.blueprint;
      const blueprint = { ...common, attended: false, kind: 'background' as const, afterTurn };
      const conversation = await openConversation({ services: runtime, blueprint });
      const turn = conversation.queue({ text: prompt });
      const run: BackgroundRun = {
        number: runs.length + 1,
        sessionId: conversation.sessionId,
        prompt,
        startedAt: now(),
        ended: undefined,
      };
      const followed = follow(run, turn);
      const done = options.closesSessions ? followed.then(() => conversation.close()) : followed;
      runs.push({ run, turn, done });
      onCount(running().length);
      return run;
    },
    list: () => runs.map(({ run }) => run),
    stop(number) {
      const entry = runs.find(({ run }) => run.number === number && run.ended === undefined);
      entry?.turn.interrupt('stopped by the user');
      return entry !== undefined;
    },
    async close() {
      isClosing = true;
      const stopped = running();
      for (const { turn } of stopped) turn.interrupt('the chat was closed');
      await Promise.all(runs.map(({ done }) => done));
      return stopped.map(({ run }) => run);
    },
  };
}

function describeEnd({ number, sessionId, ended }: BackgroundRun): string {
  const how = ended === 'completed' ? 'finished' : `ended (${ended})`;
  return `Background turn ${number} ${how}. Use /resume ${sessionId} to continue it.\n`;
}

/** Reports the turns that were stopped because the chat was closed. */
export function describeStopped(runs: readonly BackgroundRun[]): string {
  return runs
    .map(
      ({ number, prompt, sessionId }) =>
        `Stopped background turn ${number} (${shorten(printable(prompt), MAX_PROMPT)}): hermes --resume ${sessionId}\n`,
    )
    .join('');
}
