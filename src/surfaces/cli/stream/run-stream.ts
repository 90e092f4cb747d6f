import { createInterface } from 'node:readline';
import { exitFacts, OWNER, type RunResult } from '../../../base/index.ts';
import {
  type Conversation,
  type ConversationMessage,
  type ConversationTurn,
  openConversation,
  TurnNotStarted,
} from '../../../conversations/index.ts';
import type { ChatStart } from '../chat.ts';
import { STOP_TIMEOUT_MS } from '../exit-path.ts';
import { openRuntime } from '../open-runtime.ts';
import type { JsonLines } from '../output/json-lines.ts';
import { describeError } from '../report-error.ts';
import { usageOf, writeUsageFile } from '../usage-file.ts';
import { type InputRecord, readRecord } from './input-record.ts';

/**
 * A conversation with another program over standard input and output. Each line of input is a record, each line of
 * output an event. It ends with the input, after the last turn.
 */
export async function runStream(start: ChatStart, lines: JsonLines, prompt: string): Promise<number> {
  const runtime = await openRuntime(start, true);
  const { resume, continueLatest } = start.options;
  const conversation = await openConversation({
    services: runtime,
    blueprint: runtime.blueprint,
    session: { resume, continueLatest },
    busy: 'queue',
  });
  try {
    for (const message of [...start.settings.warnings, ...start.warnings, ...runtime.warnings()]) {
      const warning = { type: 'warning', message };
      lines.write(warning);
    }
    const turns = createTurns(conversation, lines, runtime.logFile);
    if (prompt !== '' || start.attachments.length > 0) turns.start({ text: prompt, attachments: start.attachments });
    await readRecords(start, conversation, { turns, lines });
    const last = await turns.settled();
    await conversation.endSession('stream_ended');
    return await conclude(start, lines, last);
  } finally {
    await conversation.close();
    await runtime.close();
  }
}

type Turns = ReturnType<typeof createTurns>;

/** How the last turn ended; `result` is absent if it did not start. */
type LastTurn = { exitCode: number; result?: RunResult };

/** Runs the turns in order and writes their events and results. */
function createTurns(conversation: Conversation, lines: JsonLines, logFile: string) {
  let last: LastTurn = { exitCode: 0 };
  let working: Promise<void> = Promise.resolve();

  async function show(turn: ConversationTurn): Promise<void> {
    try {
      for await (const event of turn) if (event.type !== 'finished') lines.write(event);
      const result = await turn.result;
      const { messages: _, ...rest } = result;
      last = { exitCode: exitFacts(result.exitReason).exitCode, result };
      lines.endTurn({ ...rest, exitCode: last.exitCode });
    } catch (thrown) {
      // The turn did not start: it was interrupted, or another process holds the session.
      const exitReason = thrown instanceof TurnNotStarted ? 'interrupted' : 'failed';
      last = { exitCode: exitFacts(exitReason).exitCode };
      lines.endTurn({ exitReason, ...last, finalResponse: '', error: describeError(thrown, logFile) });
    }
  }

  return {
    start(message: ConversationMessage): void {
      const turn = conversation.queue(message);
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
      turns.start({ text: record.text });
      return undefined;
    case 'steer':
      return conversation.steer(record.text) ? undefined : NO_TURN;
    case 'interrupt':
      return conversation.interrupt() ? undefined : NO_TURN;
    case 'answer': {
      const outcome = await conversation.answer(record.requestId, record.answer, OWNER);
      return outcome === 'answered' ? undefined : REFUSED_ANSWERS[outcome];
    }
    case 'mode': {
      const { choices } = conversation.opened();
      choices.plan = record.mode === 'plan';
      choices.yolo = record.mode === 'yolo';
      return undefined;
    }
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
