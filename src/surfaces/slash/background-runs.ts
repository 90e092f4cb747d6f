import { errorMessage } from '../../base/index.ts';
import { type ConversationTurn, openConversation } from '../../conversations/index.ts';
import type { Runtime } from '../../runtime/index.ts';
import { printable } from '../text/style.ts';

/** Background turns of a chat, each in its own session. */
export interface BackgroundRuns {
  /** Starts a background turn. */
  start(prompt: string): Promise<BackgroundRun>;
  list(): readonly BackgroundRun[];
  /** Returns false if no running turn has this number. */
  stop(number: number): boolean;
  /** Interrupts all background turns and resolves when they have ended. */
  close(): Promise<void>;
}

export type BackgroundRun = {
  number: number;
  sessionId: string;
  prompt: string;
  startedAt: number;
  /** The exit reason; undefined while the turn is running. */
  ended: string | undefined;
};

const MAX_LINES = 15;
const MAX_CHARACTERS = 1_500;

type Entry = { run: BackgroundRun; turn: ConversationTurn; done: Promise<void> };

/** Background turns are unattended, so everything that needs approval is denied. */
export function createBackgroundRuns(options: {
  runtime: Runtime;
  now(): number;
  /** Prints how a turn ended. */
  announce(text: string): void;
}): BackgroundRuns {
  const { runtime, announce, now } = options;
  const runs: Entry[] = [];

  async function follow(run: BackgroundRun, turn: ConversationTurn): Promise<void> {
    try {
      const result = await turn.result;
      run.ended = result.exitReason;
      run.sessionId = result.sessionId;
      announce(describeEnd(run, result.finalResponse || (result.error?.message ?? '')));
    } catch (thrown) {
      run.ended = 'failed';
      runtime.logger.error('background turn failed', { sessionId: run.sessionId }, thrown);
      announce(describeEnd(run, errorMessage(thrown)));
    }
  }

  return {
    async start(prompt) {
      // Users return to these sessions, so they get a title.
      const afterTurn = ['learn', 'trajectory', 'title'] as const;
      const blueprint = { ...runtime.blueprint, attended: false, kind: 'background' as const, afterTurn };
      const conversation = await openConversation({ services: runtime, blueprint });
      const turn = conversation.queue({ text: prompt });
      const run: BackgroundRun = {
        number: runs.length + 1,
        sessionId: conversation.sessionId,
        prompt,
        startedAt: now(),
        ended: undefined,
      };
      runs.push({ run, turn, done: follow(run, turn) });
      return run;
    },
    list: () => runs.map(({ run }) => run),
    stop(number) {
      const entry = runs.find(({ run }) => run.number === number && run.ended === undefined);
      entry?.turn.interrupt('stopped by the user');
      return entry !== undefined;
    },
    async close() {
      for (const { turn, run } of runs) if (run.ended === undefined) turn.interrupt('the chat was closed');
      await Promise.all(runs.map(({ done }) => done));
    },
  };
}

function describeEnd({ number, sessionId, ended }: BackgroundRun, text: string): string {
  const how = ended === 'completed' ? 'finished' : `ended (${ended})`;
  return `Background turn ${number} ${how}. Use /resume ${sessionId} to continue it.\n${beginningOf(printable(text.trim()))}`;
}

/** Shortens the text; the session contains all of it. */
function beginningOf(text: string): string {
  if (text === '') return '';
  const shown = text.split('\n').slice(0, MAX_LINES).join('\n').slice(0, MAX_CHARACTERS);
  return shown.length < text.length ? `${shown}…\n` : `${shown}\n`;
}
