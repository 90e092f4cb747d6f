import type { Run } from '../../../agent/index.ts';
import type { AgentEvent, InteractionRequest } from '../../../base/index.ts';
import type { Style } from '../style.ts';
import type { LineTerminal } from './line-terminal.ts';
import { formatQuestion, readAnswer } from './question.ts';

/** Asks what a turn wants to know, one question at a time. */
export interface QuestionDesk {
  /** True where the event was about a question. */
  show(event: AgentEvent, run: Run): boolean;
  /** Takes a typed line as an answer; false where nothing was asked. */
  answer(line: string): boolean;
  close(): void;
}

const UNANSWERED: Record<InteractionRequest['kind'], string> = {
  approval: '\nNobody answered, so the answer is no.\n',
  clarify: '\nNobody answered; the model goes on without an answer.\n',
};

type OpenQuestion = { requestId: string; request: InteractionRequest; run: Run; answered: boolean };

export function createQuestionDesk(options: {
  terminal: LineTerminal;
  print(text: string): void;
  style: Style;
}): QuestionDesk {
  const { terminal, print, style } = options;
  let open: OpenQuestion[] = [];

  function ask(): void {
    const question = open[0];
    if (question === undefined) return;
    const { text, prompt } = formatQuestion(question.request, style);
    // Whatever stands in the line was not typed for this question.
    terminal.clearTyped();
    print(`\n${text}`);
    terminal.prompt(prompt);
  }

  return {
    show(event, run) {
      if (event.type === 'request') {
        open.push({ requestId: event.requestId, request: event.request, run, answered: false });
        if (open.length === 1) ask();
        return true;
      }
      if (event.type !== 'request-closed') return false;
      const closed = open.find((question) => question.requestId === event.requestId);
      if (closed && !closed.answered) print(UNANSWERED[closed.request.kind]);
      open = open.filter((question) => question !== closed);
      ask();
      return true;
    },
    answer(line) {
      const question = open.find((candidate) => !candidate.answered);
      if (question === undefined) return false;
      const answer = readAnswer(question.request, line);
      if (answer === undefined) {
        terminal.prompt(formatQuestion(question.request, style).prompt);
        return true;
      }
      question.answered = true;
      question.run.respond(question.requestId, answer);
      return true;
    },
    close() {
      open = [];
    },
  };
}
