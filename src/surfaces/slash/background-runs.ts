import { errorMessage } from '../../base/index.ts';
import { type ConversationTurn, openConversation } from '../../conversations/index.ts';
import type { Runtime } from '../../runtime/index.ts';
import { showable } from '../text/style.ts';

/** Prompts that are worked on beside a chat, each in a session of its own. */
export interface BackgroundRuns {
  /** Begins one; its number and its session. */
  start(prompt: string): Promise<BackgroundRun>;
  list(): readonly BackgroundRun[];
  /** False where there is none of this number that still runs. */
  stop(number: number): boolean;
  /** Ends them all, and resolves when they have ended. */
  close(): Promise<void>;
}

export type BackgroundRun = {
  number: number;
  sessionId: string;
  prompt: string;
  startedAt: number;
  /** How it ended; undefined while it runs. */
  ended: string | undefined;
};

const MOST_LINES = 15;
const MOST_CHARACTERS = 1_500;

type Entry = { run: BackgroundRun; turn: ConversationTurn; done: Promise<void> };

/** Nobody watches these turns, so what needs approval is denied. */
export function createBackgroundRuns(options: {
  runtime: Runtime;
  now(): number;
  /** Says how a run ended, at a moment when it is not in the way. */
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
      runtime.logger.error('a background run failed', { sessionId: run.sessionId }, thrown);
      announce(describeEnd(run, errorMessage(thrown)));
    }
  }

  return {
    async start(prompt) {
      // The person comes back to these sessions, so they get a title.
      const afterTurn = ['learn', 'trajectory', 'title'] as const;
      const blueprint = { ...runtime.blueprint, attended: false, afterTurn };
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
      for (const { turn, run } of runs) if (run.ended === undefined) turn.interrupt('the chat was left');
      await Promise.all(runs.map(({ done }) => done));
    },
  };
}

function describeEnd({ number, sessionId, ended }: BackgroundRun, text: string): string {
  const how = ended === 'completed' ? 'is done' : `ended (${ended})`;
  return `Background ${number} ${how}; /resume ${sessionId} goes on there.\n${beginningOf(showable(text.trim()))}`;
}

/** The whole of it stands in its session. */
function beginningOf(text: string): string {
  if (text === '') return '';
  const shown = text.split('\n').slice(0, MOST_LINES).join('\n').slice(0, MOST_CHARACTERS);
  return shown.length < text.length ? `${shown}…\n` : `${shown}\n`;
}
