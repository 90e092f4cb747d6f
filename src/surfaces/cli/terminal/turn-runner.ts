import type { Agent, CompressOptions, Run } from '../../../agent/index.ts';
import type { AttachedFile, CompressionReport, RunResult } from '../../../base/index.ts';
import type { Settings } from '../../../config/index.ts';
import type { Runtime } from '../../../runtime/index.ts';
import { isSlashCommand, type LastCall } from '../../slash/index.ts';
import { HermesError } from '../../../base/index.ts';
import { keepCodeOfLongTurn, keepCompiledCode } from '../keep-code.ts';
import type { ChatTerminal, TurnFacts } from './chat-terminal.ts';
import type { LineQueue } from './line-queue.ts';
import type { QuestionDesk } from './question-desk.ts';
import { isShellLine } from './shell-line.ts';

/** What runs in a chat, if anything does: a turn, or compression between two of them. */
export interface TurnRunner {
  isRunning(): boolean;
  /** `sent` goes to the model in the place of the text. */
  run(agent: Agent, text: string, attachments?: readonly AttachedFile[], sent?: string): Promise<RunResult>;
  compress(agent: Agent, options: CompressOptions): Promise<CompressionReport | 'stopped' | undefined>;
  /** Runs something that can be interrupted; it hears of that by its signal. */
  work<Value>(activity: string, task: (signal: AbortSignal) => Promise<Value>): Promise<Value>;
  /** What the last call in a session took. */
  lastCall(sessionId: string): LastCall | undefined;
  interrupt(reason?: string): void;
  /** False where no turn runs, or it takes nothing more. */
  steer(text: string): boolean;
  /**
   * What a line does that is typed while a turn runs: answer a question, steer, wait, or end the turn. Where it is to wait
   * in any case, it does.
   */
  takeLine(text: string, how?: 'queue'): void;
}

type TurnRunnerOptions = {
  terminal: Pick<ChatTerminal, 'beginTurn' | 'beginWork' | 'endTurn' | 'noteSteered'>;
  runtime: Runtime;
  lines: LineQueue;
  questions: QuestionDesk;
  busyMode: NonNullable<Settings['busyInputMode']>;
  /** Of the session that is open. */
  facts: TurnFacts;
};

/** A turn can be steered; other work can only be interrupted. */
type Running = Pick<Run, 'interrupt'> & Partial<Pick<Run, 'steer'>>;

export function createTurnRunner(options: TurnRunnerOptions): TurnRunner {
  const { runtime, terminal, questions } = options;
  let running: Running | undefined;
  let last: { sessionId: string; call: LastCall } | undefined;

  const draw = (agent: Agent, run: Run) =>
    drawRun(options, run, (call) => {
      last = { sessionId: agent.sessionId, call };
    });

  /** Nobody can be steered here: what is typed meanwhile waits. */
  async function work<Value>(activity: string, task: (signal: AbortSignal) => Promise<Value>): Promise<Value> {
    const stop = new AbortController();
    running = { interrupt: (reason = 'interrupted by the user') => stop.abort(new HermesError(reason)) };
    terminal.beginWork(activity);
    try {
      return await task(stop.signal);
    } finally {
      running = undefined;
      terminal.endTurn();
    }
  }

  return {
    isRunning: () => running !== undefined,
    run: (agent, text, attachments, sent) =>
      runtime.turns.run(agent.sessionId, runtime.blueprint.surface, async (turn) => {
        const run = agent.run({ userMessage: text, sentMessage: sent, attachments, ...turn });
        running = run;
        try {
          const result = await draw(agent, run);
          if (result.exitReason === 'completed') setImmediate(keepCompiledCode);
          return result;
        } finally {
          running = undefined;
          questions.close();
          terminal.endTurn();
        }
      }),
    compress: (agent, request) =>
      runtime.turns.run(agent.sessionId, runtime.blueprint.surface, async ({ signal, storedChanged }) => {
        const stopped = (stop: AbortSignal) => (thrown: unknown) => {
          if (stop.aborted) return 'stopped' as const;
          throw thrown;
        };
        return work('compressing', (stop) =>
          agent.compress({ ...request, storedChanged, signal: AbortSignal.any([signal, stop]) }).catch(stopped(stop)),
        );
      }),
    work,
    lastCall: (sessionId) => (last?.sessionId === sessionId ? last.call : undefined),
    interrupt: (reason) => running?.interrupt(reason),
    steer: (text) => running?.steer?.(text) ?? false,
    takeLine: (text, how) => takeLine(options, running, text, how),
  };
}

function takeLine(options: TurnRunnerOptions, running: Running | undefined, text: string, how?: 'queue'): void {
  const { terminal, lines, questions, busyMode } = options;
  if (questions.answer(text) || text.trim() === '') return undefined;
  const mode = how ?? (isSlashCommand(text) || isShellLine(text) ? 'queue' : busyMode);
  // A turn that is already over takes nothing more; the line is the next message then.
  if (mode === 'steer' && running?.steer?.(text)) return terminal.noteSteered(text);
  lines.push(text);
  if (mode === 'interrupt' && running?.steer !== undefined) running.interrupt('a new message came');
  return undefined;
}

/** Shows a turn as it happens. */
async function drawRun(
  { terminal, questions, facts }: TurnRunnerOptions,
  run: Run,
  onCall: (call: LastCall) => void,
): Promise<RunResult> {
  const view = terminal.beginTurn(facts);
  // The request is on its way already.
  await view.ready;
  for await (const event of run) {
    if (event.type === 'usage') onCall(event);
    if (!questions.show(event, run)) view.show(event);
    keepCodeOfLongTurn(event);
  }
  const result = await run.result;
  view.finish(result);
  return result;
}
