import { type AgentEvent, HermesError, type RunResult } from '../../../base/index.ts';
import type { Settings } from '../../../config/index.ts';
import {
  applyBusyMode,
  type Conversation,
  type ConversationTurn,
  type ConversationMessage,
} from '../../../conversations/index.ts';
import { isSlashCommand, type LastCall } from '../../slash/index.ts';
import { saveCompileCacheInLongTurn, saveCompileCache } from '../compile-cache.ts';
import type { ChatTerminal, TurnDisplayOptions } from './chat-terminal.ts';
import type { LineQueue } from './line-queue.ts';
import type { QuestionQueue } from './question-queue.ts';
import { isShellLine } from './shell-line.ts';

/** Runs and displays a turn of a chat, or other work between turns. */
export interface TurnRunner {
  isRunning(): boolean;
  /**
   * Sends a message and displays its turn. Rejects with `TurnNotStarted` if another process keeps holding the
   * session.
   */
  run(message: ConversationMessage): Promise<RunResult>;
  /** Runs interruptible work; an interrupt aborts its signal. */
  work<Value>(activity: string, task: (signal: AbortSignal) => Promise<Value>): Promise<Value>;
  /** The usage of the last model call in a session. */
  lastCall(sessionId: string): LastCall | undefined;
  interrupt(reason?: string): void;
  /** Returns false if no turn is running, or if it accepts no more messages. */
  steer(text: string): boolean;
  /**
   * Handles a line that is typed during a turn: it answers an open question, otherwise the busy mode applies. `how`
   * overrides the mode.
   */
  handleLine(text: string, how?: 'queue'): void;
}

type TurnRunnerOptions = {
  terminal: Pick<ChatTerminal, 'beginTurn' | 'beginWork' | 'endTurn' | 'showSteered'>;
  conversation: Pick<Conversation, 'queue' | 'sessionId'>;
  lines: LineQueue;
  questions: QuestionQueue;
  busyMode: NonNullable<Settings['busyInputMode']>;
  /** Called with every event of a turn. */
  onEvent(event: AgentEvent): void;
  /** Display settings of the open session. */
  display: TurnDisplayOptions;
};

/** The running turn or other work. Only a turn accepts messages; other work can only be interrupted. */
type Running = Pick<ConversationTurn, 'interrupt' | 'isRunning' | 'steer'> & { acceptsMessages: boolean };

export function createTurnRunner(options: TurnRunnerOptions): TurnRunner {
  const { conversation, terminal, questions } = options;
  let running: Running | undefined;
  let last: { sessionId: string; call: LastCall } | undefined;
  const isRunning = () => running?.isRunning() ?? false;

  async function run(message: ConversationMessage): Promise<RunResult> {
    const turn = conversation.queue(message);
    running = { ...turn, acceptsMessages: true };
    const drawn = drawTurn(options, turn, (call) => {
      last = { sessionId: conversation.sessionId, call };
    });
    try {
      const finish = await drawn;
      const result = await turn.result;
      finish?.(result);
      if (result.exitReason === 'completed') setImmediate(saveCompileCache);
      return result;
    } finally {
      running = undefined;
      questions.close();
      terminal.endTurn();
    }
  }

  async function work<Value>(activity: string, task: (signal: AbortSignal) => Promise<Value>): Promise<Value> {
    const stop = new AbortController();
    running = {
      isRunning: () => true,
      acceptsMessages: false,
      steer: () => false,
      interrupt: (reason = 'interrupted by the user') => stop.abort(new HermesError(reason)),
    };
    terminal.beginWork(activity);
    try {
      return await task(stop.signal);
    } finally {
      running = undefined;
      terminal.endTurn();
    }
  }

  return {
    isRunning,
    run,
    work,
    lastCall: (sessionId) => (last?.sessionId === sessionId ? last.call : undefined),
    interrupt: (reason) => running?.interrupt(reason),
    steer: (text) => running?.steer(text) ?? false,
    handleLine: (text, how) => handleLine(options, running, text, how),
  };
}

function handleLine(options: TurnRunnerOptions, running: Running | undefined, text: string, how?: 'queue'): void {
  const { terminal, lines, questions, busyMode } = options;
  if (questions.answer(text) || text.trim() === '') return undefined;
  const mode = how ?? (isSlashCommand(text) || isShellLine(text) ? 'queue' : busyMode);
  // Only a turn accepts messages; during other work, the message is queued.
  const outcome = running?.acceptsMessages ? applyBusyMode(mode, { text }, running) : 'queue';
  return outcome === 'steered' ? terminal.showSteered(text) : lines.push(text);
}

/** Displays a turn while it runs. Returns a function that displays its end, or undefined if the turn never started. */
async function drawTurn(
  { terminal, questions, display, onEvent }: TurnRunnerOptions,
  turn: ConversationTurn,
  onCall: (call: LastCall) => void,
): Promise<((result: RunResult) => void) | undefined> {
  let view: ReturnType<ChatTerminal['beginTurn']> | undefined;
  for await (const event of turn) {
    if (view === undefined) {
      view = terminal.beginTurn(display);
      // This wait costs no time, because the request has already been sent.
      await view.ready;
    }
    onEvent(event);
    if (event.type === 'usage') onCall(event);
    if (!questions.show(event)) view.show(event);
    saveCompileCacheInLongTurn(event);
  }
  return view?.finish;
}
