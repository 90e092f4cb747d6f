import type { Agent, Run } from '../../../agent/index.ts';
import type { AttachedFile, RunResult } from '../../../base/index.ts';
import type { Settings } from '../../../config/index.ts';
import type { Runtime } from '../../../runtime/index.ts';
import type { CliIo } from '../cli-io.ts';
import { createTextView } from '../output/text-view.ts';
import type { Style } from '../style.ts';
import type { LineQueue } from './line-queue.ts';
import type { QuestionDesk } from './question-desk.ts';
import { isSlashCommand, isStop } from './slash-commands.ts';
import type { LastCall } from './usage-command.ts';

/** The turn that runs in a chat, if one does. */
export interface TurnRunner {
  isRunning(): boolean;
  run(agent: Agent, text: string, attachments?: readonly AttachedFile[]): Promise<RunResult>;
  /** What the last call in a session took. */
  lastCall(sessionId: string): LastCall | undefined;
  interrupt(reason?: string): void;
  /** What a line does that is typed while a turn runs: stop it, answer a question, steer, wait, or end the turn. */
  takeLine(text: string): void;
}

export function createTurnRunner(options: {
  io: CliIo;
  runtime: Runtime;
  style: Style;
  lines: LineQueue;
  questions: QuestionDesk;
  busyMode: NonNullable<Settings['busyInputMode']>;
}): TurnRunner {
  const { io, runtime, style, lines, questions, busyMode } = options;
  let running: Run | undefined;
  let last: { sessionId: string; call: LastCall } | undefined;

  async function draw(sessionId: string, run: Run): Promise<RunResult> {
    const view = createTextView({ text: io.stdout, notes: io.stdout, style, live: true });
    for await (const event of run) {
      if (event.type === 'usage') last = { sessionId, call: event };
      if (!questions.show(event, run)) view.show(event);
    }
    const result = await run.result;
    view.finish(result);
    return result;
  }

  return {
    isRunning: () => running !== undefined,
    run: (agent, text, attachments) =>
      runtime.turns.run(agent.sessionId, async (turn) => {
        running = agent.run({ userMessage: text, attachments, ...turn });
        try {
          return await draw(agent.sessionId, running);
        } finally {
          running = undefined;
          questions.close();
        }
      }),
    lastCall: (sessionId) => (last?.sessionId === sessionId ? last.call : undefined),
    interrupt: (reason) => running?.interrupt(reason),
    takeLine(text) {
      // Before the questions, because whoever wants to stop does not want to answer first.
      if (isStop(text)) return running?.interrupt();
      if (questions.answer(text) || text.trim() === '') return undefined;
      // A turn that is already over takes nothing more; the line is the next message then.
      if (busyMode === 'steer' && !isSlashCommand(text) && running?.steer(text)) return undefined;
      lines.push(text);
      if (busyMode === 'interrupt' && !isSlashCommand(text)) running?.interrupt('a new message came');
      return undefined;
    },
  };
}
