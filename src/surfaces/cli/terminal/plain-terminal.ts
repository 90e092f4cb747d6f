import type { Verbosity } from '../../slash/index.ts';
import type { CliIo } from '../cli-io.ts';
import { createTextView } from '../output/text-view.ts';
import { writeReport } from '../report-error.ts';
import { createStyle } from '../style.ts';
import type { ChatTerminal, ChatTerminalHandlers } from './chat-terminal.ts';
import { createLineTerminal } from './line-terminal.ts';
import { formatQuestion, UNANSWERED } from './question.ts';

/** Plain mode: lines in and lines out, and nothing that is drawn twice; for screen readers and simple terminals. */
export function createPlainTerminal(io: CliIo, handlers: ChatTerminalHandlers): ChatTerminal {
  const style = createStyle(io.stdout, io.env);
  const print = (text: string) => void io.stdout.write(text);
  const lines = createLineTerminal(io, handlers);
  return {
    ...{ style, io, print, hasLivePart: false },
    report: (report) => writeReport(io, report),
    prompt: lines.prompt,
    clearTyped: lines.clearTyped,
    breakLine: () => print('\n'),
    // Whatever was typed stands there already, and stays.
    echo: () => undefined,
    noteSteered: () => undefined,
    showWaiting: () => undefined,
    beginTurn: ({ verbosity }) =>
      createTextView({ text: io.stdout, notes: io.stdout, style, live: true, ...amountOf(verbosity()) }),
    beginWork: () => undefined,
    endTurn: () => undefined,
    forgetFigures: () => undefined,
    ask(request, again) {
      const { text, prompt } = formatQuestion(request, style);
      if (again) return lines.prompt(prompt);
      // Whatever stands in the line was not typed for this question.
      lines.clearTyped();
      print(`\n${text}`);
      return lines.prompt(prompt);
    },
    closeQuestion: ({ kind }, unanswered) => (unanswered ? print(`\n${UNANSWERED[kind]}\n`) : undefined),
    setCompletions: () => undefined,
    close: lines.close,
  };
}

function amountOf(verbosity: Verbosity): { progress: boolean; details: boolean } {
  return { progress: verbosity !== 'quiet', details: verbosity === 'full' };
}
