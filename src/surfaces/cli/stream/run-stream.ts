import { createInterface } from 'node:readline';
import { exitFacts, HermesError, OWNER, type RunResult } from '../../../base/index.ts';
import {
  type Conversation,
  type ConversationMessage,
  type ConversationTurn,
  openConversation,
  TurnNotStarted,
} from '../../../conversations/index.ts';
import type { ChatStart } from '../chat.ts';
import { describeHolder, type Runtime, setMode, startWithSkills } from '../../../runtime/index.ts';
import { STOP_TIMEOUT_MS, StoppedBySignal } from '../exit-path.ts';
import { openRuntime } from '../open-runtime.ts';
import { createJsonView } from '../output/choose-view.ts';
import type { EventView } from '../output/event-view.ts';
import type { JsonLines } from '../output/json-lines.ts';
import { describeError } from '../report-error.ts';
import { sentFor } from '../run-once.ts';
import { usageOf, writeUsageFile } from '../usage-file.ts';
import { type InputRecord, readRecord } from './input-record.ts';
import { createQuestionWatch } from './question-watch.ts';

/**
 * A conversation with another program over standard input and output. Each line of input is a record, each line of
 * output an event. It ends with the input, after the last turn.
 */
export async function runStream(start: ChatStart, lines: JsonLines, prompt: string): Promise<number> {
  const runtime = await openRuntime(start, true);
  const say = (message: string) => {
    const warning = { type: 'warning', message };
    lines.write(warning);
  };
  const { resume, continueLatest, skills } = start.options;
  let conversation: Conversation | undefined;
  try {
    // An unknown skill is a usage error, and no turn is started.
    if (skills !== undefined) await startWithSkills(runtime.skills(), skills, '');
    conversation = await openConversation({
      services: runtime,
      blueprint: runtime.blueprint,
      session: { resume, continueLatest },
      busy: 'queue',
      async onHeld(held, signal) {
        const { settleHeldSession } = await import('../held-session.ts');
        return settleHeldSession(held, { options: start.options, runtime, signal, say });
      },
      onNotice(notice) {
        if (notice.type !== 'branched') return;
        const { held, session } = notice;
        say(`${describeHolder(held.sessionId, held.heldBy)} Continuing in a branch, session ${session.id}.`);
      },
    });
    for (const message of [...start.settings.warnings, ...start.warnings, ...runtime.warnings()]) say(message);
    const questions = createQuestionWatch(conversation);
    const view = await openView(runtime, lines, say);
    const turns = createTurns({ conversation, lines, runtime, skills, view, questions });
    if (prompt !== '' || start.attachments.length > 0)
      await turns.start({ text: prompt, attachments: start.attachments });
    await readRecords(start, conversation, { turns, lines });
    questions.endInput();
    const last = await turns.settled();
    for (const message of (await start.findNotices?.()) ?? []) say(message);
    await conversation.endSession('stream_ended');
    return await conclude(start, lines, last);
  } finally {
    await conversation?.close();
    await runtime.close();
  }
}

/** Writes the events of a turn, with the states of the MCP servers in `started`. */
async function openView({ servers }: Runtime, lines: JsonLines, say: (message: string) => void): Promise<EventView> {
  const view = createJsonView(lines);
  if (servers.states().length === 0) return view;
  const { withServerReports } = await import('../mcp/report-servers.ts');
  return withServerReports(view, servers, say);
}

type Turns = ReturnType<typeof createTurns>;

/** How the last turn ended; `result` is absent if it did not start. */
type LastTurn = { exitCode: number; result?: RunResult };

type TurnParts = {
  conversation: Conversation;
  lines: JsonLines;
  runtime: Runtime;
  /** Sent with the first message. */
  skills: readonly string[] | undefined;
  view: EventView;
  questions: ReturnType<typeof createQuestionWatch>;
};

/** Runs the turns in order and writes their events and results. */
function createTurns({ conversation, lines, runtime, view, questions, ...options }: TurnParts) {
  let { skills } = options;
  let last: LastTurn = { exitCode: 0 };
  let working: Promise<void> = Promise.resolve();

  async function show(turn: ConversationTurn): Promise<void> {
    try {
      for await (const event of turn) {
        view.show(event);
        questions.note(event);
      }
      const result = await turn.result;
      const { messages: _, ...rest } = result;
      last = { exitCode: exitFacts(result.exitReason).exitCode, result };
      lines.endTurn({ ...rest, exitCode: last.exitCode });
    } catch (thrown) {
      // The turn did not start: it was interrupted, or another process holds the session.
      const isStopped = thrown instanceof TurnNotStarted || thrown instanceof StoppedBySignal;
      const exitReason = isStopped ? 'interrupted' : 'failed';
      last = { exitCode: exitFacts(exitReason).exitCode };
      lines.endTurn({ exitReason, ...last, finalResponse: '', error: describeError(thrown, runtime.logFile) });
    }
  }

  return {
    async start(message: ConversationMessage): Promise<void> {
      const sent = await sentFor(message.text, runtime, { ...(skills && { skills }) });
      skills = undefined;
      const turn = conversation.queue({ ...message, sent });
      working = Promise.all([working, show(turn)]).then(() => undefined);
    },
    async settled(): Promise<LastTurn> {
      await working;
      return last;
    },
  };
}

async function readRecords(
  start: ChatStart,
  conversation: Conversation,
  { turns, lines }: { turns: Turns; lines: JsonLines },
): Promise<void> {
  const input = createInterface({ input: start.io.stdin, crlfDelay: Infinity });
  start.exits.setHandler(({ reason }) => {
    input.close();
    conversation.interrupt(reason);
    // Prompts that wait are not sent.
    void conversation.close();
  }, STOP_TIMEOUT_MS);
  let number = 0;
  for await (const line of input) {
    number += 1;
    if (line.trim() === '') continue;
    const record = readRecord(line);
    const problem = 'problem' in record ? record.problem : await apply(record, conversation, turns);
    const rejected = { type: 'input-rejected', line: number, problem };
    if (problem !== undefined) lines.write(rejected);
  }
}

/** Returns why a record has no effect, if it has none. */
async function apply(record: InputRecord, conversation: Conversation, turns: Turns): Promise<string | undefined> {
  switch (record.type) {
    case 'prompt':
      return startTurn(turns, record.text);
    case 'steer':
      return conversation.steer(record.text) ? undefined : NO_TURN;
    case 'interrupt':
      return conversation.interrupt() ? undefined : NO_TURN;
    case 'answer': {
      const outcome = await conversation.answer(record.requestId, record.answer, OWNER);
      return outcome === 'answered' ? undefined : REFUSED_ANSWERS[outcome];
    }
    case 'mode':
      setMode(conversation.opened().choices, record.mode);
      return undefined;
  }
}

/** A skill that the prompt calls may be unreadable. */
async function startTurn(turns: Turns, text: string): Promise<string | undefined> {
  try {
    await turns.start({ text });
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof HermesError)) throw thrown;
    return [thrown.message, thrown.hint].filter(Boolean).join(' ');
  }
}

const NO_TURN = 'no turn is running';
const REFUSED_ANSWERS = {
  not_found: 'there is no such question',
  not_open: 'the question is no longer open',
  wrong_kind: 'an approval is answered with `answer`, any other question with `text`',
  forbidden: 'the question is for someone else',
} as const;

async function conclude(start: ChatStart, lines: JsonLines, { exitCode: ofTurn, result }: LastTurn): Promise<number> {
  const { options, io, exits } = start;
  const exitCode = exits.exitCode(ofTurn);
  if (result !== undefined && options.usageFile !== undefined)
    await writeUsageFile(options.usageFile, io.workingDirectory, usageOf(result));
  lines.close(exitCode);
  exits.conclude(exitCode);
  return exitCode;
}
