import { createInterface } from 'node:readline';
import { HOW_TO_CHANGE_PLAN } from '../../../base/index.ts';
import type { StoredMessage } from '../../../contracts/index.ts';
import type { SessionMode } from '../../../runtime/index.ts';
import { stripAnsi } from '../../../util/index.ts';
import type { Verbosity } from '../../slash/index.ts';
import type { CliIo } from '../cli-io.ts';
import { createTextView } from '../output/text-view.ts';
import { writeReport } from '../report-error.ts';
import { createStyle, type Style, printable } from '../style.ts';
import type { ChatTerminal, ChatTerminalHandlers } from './chat-terminal.ts';
import { formatQuestion, UNANSWERED_MESSAGES } from './question.ts';
import { renderConversation } from './render-conversation.ts';
import { sanitizeInput } from './sanitize-input.ts';

/** Plain mode, for screen readers and simple terminals: lines in, lines out, and nothing is redrawn. */
export function createPlainTerminal(io: CliIo, handlers: ChatTerminalHandlers): ChatTerminal {
  const style = createStyle(io.stdout, io.env);
  const print = (text: string) => void io.stdout.write(text);
  const lines = createLineTerminal(io, handlers);
  let modeNow: () => SessionMode = () => 'default';
  return {
    style,
    io,
    print,
    hasLivePart: false,
    printAnswer: (markdown) => print(markdown.trim() === '' ? '' : `${printable(markdown.trim())}\n`),
    printConversation: async (messages) => print(plainConversation(messages, style, io.stdout.columns)),
    report: (report) => writeReport(io, report),
    prompt(text, givenBack) {
      const isPlanning = stripAnsi(text).startsWith('❯') && modeNow() === 'plan';
      lines.prompt(isPlanning ? `plan ${text}` : text, givenBack);
    },
    clearInput: lines.clearInput,
    breakLine: () => print('\n'),
    // The terminal has already echoed what was typed.
    echo: () => undefined,
    showSteered: () => undefined,
    showQueued: () => undefined,
    showJobs: () => undefined,
    showMode(mode) {
      modeNow = mode;
    },
    beginTurn: ({ verbosity }) =>
      createTextView({ text: io.stdout, notes: io.stdout, style, live: true, ...viewOptions(verbosity()) }),
    beginWork: () => undefined,
    endTurn: () => undefined,
    resetFigures: () => undefined,
    cancelPick: () => undefined,
    ask(request, again) {
      const { text, prompt } = formatQuestion(request, style, io.stdout.columns);
      if (again) return lines.prompt(prompt);
      // Text that is already in the input line was not typed as an answer to this question.
      lines.clearInput();
      const plan = request.kind === 'clarify' ? request.plan : undefined;
      print(plan === undefined ? `\n${text}` : `\n${printable(plan)}\n\n${text}${HOW_TO_CHANGE_PLAN}\n`);
      return lines.prompt(prompt);
    },
    closeQuestion: ({ kind }, unanswered) => (unanswered ? print(`\n${UNANSWERED_MESSAGES[kind]}\n`) : undefined),
    setCompletions: () => undefined,
    close: lines.close,
  };
}

const DEFAULT_COLUMNS = 80;
const MAX_CONVERSATION_LINES = 40;

function plainConversation(messages: readonly StoredMessage[], style: Style, columns = DEFAULT_COLUMNS): string {
  const renderProse = (text: string) => printable(text.trim()).split('\n');
  const parts = renderConversation(messages, {
    width: columns,
    style,
    maxLines: MAX_CONVERSATION_LINES,
    renderMessage: (text) => [`${style.cyan('❯')} ${printable(text)}`],
    renderProse,
  });
  return parts.flatMap(({ lines }) => lines.map((line) => `${line}\n`)).join('');
}

function viewOptions(verbosity: Verbosity): { progress: boolean; details: boolean } {
  return { progress: verbosity !== 'quiet', details: verbosity === 'full' };
}

type LineHandlers = Pick<ChatTerminalHandlers, 'onLines' | 'onInterrupt' | 'onEnd'>;

/** The input line. */
type LineTerminal = Pick<ChatTerminal, 'prompt' | 'clearInput' | 'close'>;

/** Replaces line breaks in text that is put back into the input line, because a real one would send the line. */
const LINE_BREAK_MARK = '⏎';

function createLineTerminal(io: CliIo, handlers: LineHandlers): LineTerminal {
  const lines = createInterface({ input: io.stdin, output: io.stdout, terminal: true, historySize: 200 });
  let pasted: string[] = [];
  let hasMarks = false;
  lines.on('line', (typed) => {
    const line = hasMarks ? typed.replaceAll(LINE_BREAK_MARK, '\n') : typed;
    hasMarks = false;
    // The lines of a paste arrive in the same tick. They are joined so that they become one message.
    if (pasted.push(line) > 1) return;
    setImmediate(() => {
      const text = pasted.join('\n');
      pasted = [];
      handlers.onLines(text);
    });
  });
  const clearTyped = () => {
    // The documented way to clear the line: Ctrl-E, then Ctrl-U. It redraws the line, so the old prompt is removed
    // first.
    lines.setPrompt('');
    lines.write(null as unknown as string, { ctrl: true, name: 'e' });
    lines.write(null as unknown as string, { ctrl: true, name: 'u' });
  };
  lines.on('SIGINT', () => {
    const typed = lines.line;
    clearTyped();
    handlers.onInterrupt(typed);
  });
  lines.on('close', handlers.onEnd);
  return {
    prompt(text, given = '') {
      const givenBack = sanitizeInput(given);
      lines.setPrompt(text);
      lines.prompt(true);
      hasMarks ||= givenBack.includes('\n');
      if (givenBack !== '') lines.write(givenBack.replaceAll('\n', LINE_BREAK_MARK));
    },
    clearInput: clearTyped,
    close() {
      lines.off('close', handlers.onEnd);
      try {
        lines.close();
      } catch {
        // The terminal was closed, so its mode cannot be restored.
      }
    },
  };
}
