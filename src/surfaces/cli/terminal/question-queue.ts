import type { AgentEvent, InteractionAnswer, InteractionRequest } from '../../../base/index.ts';
import type { ChatTerminal } from './chat-terminal.ts';
import { parseAnswer } from './question.ts';

/** Shows the questions of a turn, one at a time. */
export interface QuestionQueue {
  /** Returns true if the event was about a question. */
  show(event: AgentEvent): boolean;
  /** Handles a typed line as an answer; returns false if no question is open. */
  answer(line: string): boolean;
  /** Handles an answer that was given with a single key. */
  respond(answer: InteractionAnswer): void;
  close(): void;
}

type OpenQuestion = { requestId: string; request: InteractionRequest; answered: boolean };

export function createQuestionQueue(
  terminal: Pick<ChatTerminal, 'ask' | 'closeQuestion'>,
  send: (requestId: string, answer: InteractionAnswer) => void,
): QuestionQueue {
  let open: OpenQuestion[] = [];
  const asked = () => open.find((candidate) => !candidate.answered);

  function ask(): void {
    const [question] = open;
    if (question !== undefined) terminal.ask(question.request);
  }

  function respond(answer: InteractionAnswer): void {
    const question = asked();
    if (question?.request.kind !== answer.kind) return;
    question.answered = true;
    send(question.requestId, answer);
  }

  return {
    show(event) {
      if (event.type === 'request') {
        open.push({ requestId: event.requestId, request: event.request, answered: false });
        if (open.length === 1) ask();
        return true;
      }
      if (event.type !== 'request-closed') return false;
      const closed = open.find((question) => question.requestId === event.requestId);
      const wasAsked = closed !== undefined && closed === open[0];
      if (wasAsked) terminal.closeQuestion(closed.request, !closed.answered);
      open = open.filter((question) => question !== closed);
      if (wasAsked) ask();
      return true;
    },
    answer(line) {
      const question = asked();
      if (question === undefined) return false;
      const answer = parseAnswer(question.request, line);
      if (answer === undefined) terminal.ask(question.request, true);
      else respond(answer);
      return true;
    },
    respond,
    close() {
      const [question] = open;
      open = [];
      if (question !== undefined) terminal.closeQuestion(question.request, false);
    },
  };
}
