import type { AgentEvent, RunResult } from '../../../base/index.ts';
import { shorten } from '../../../util/index.ts';
import type { OutputStream } from '../cli-io.ts';
import { type Style, showable } from '../style.ts';
import type { EventView } from './event-view.ts';
import { describeArguments, toolLine } from './tool-line.ts';

export type TextViewOptions = {
  /** Where the answer goes. */
  text: OutputStream;
  /** Where everything beside the answer goes; undefined keeps quiet. */
  notes: OutputStream | undefined;
  style: Style;
  /** Shows text as it comes. Without, a step's text is shown when the step is over, so that none is ever taken back. */
  live: boolean;
};

/** The answer as text, with a line for each tool call beside it. */
export function createTextView(options: TextViewOptions): EventView {
  const answer = createAnswerWriter(options.text, options.live);
  const calls = new Map<string, string>();
  const note = (line: string) => {
    answer.endLine();
    options.notes?.write(`${line}\n`);
  };
  return {
    show: (event) => showEvent(event, { options, answer, calls, note }),
    finish(result) {
      answer.finish(result);
    },
  };
}

type View = {
  options: TextViewOptions;
  answer: AnswerWriter;
  /** What each running call is about. */
  calls: Map<string, string>;
  note(line: string): void;
};

function showEvent(event: AgentEvent, { options, answer, calls, note }: View): void {
  const { style } = options;
  switch (event.type) {
    case 'text-delta':
      return answer.write(event.text);
    case 'answer-discarded':
      return answer.discard() ? note(style.dim(`(starting the answer again: ${showable(event.reason)})`)) : undefined;
    case 'tool-started':
      answer.commit();
      calls.set(event.callId, describeArguments(event.arguments));
      return undefined;
    case 'tool-finished': {
      const about = calls.get(event.callId) ?? '';
      calls.delete(event.callId);
      return note(toolLine(style, { ...event, about }));
    }
    case 'step-finished':
      return answer.commit();
    case 'retry':
      return note(style.yellow(`… ${shorten(showable(event.message), 200)}; trying again`));
    case 'fallback':
      return note(style.yellow(`… going on with ${showable(event.to)}: ${shorten(showable(event.reason), 200)}`));
    case 'warning':
      return note(style.yellow(`! ${showable(event.message)}`));
    default:
      return undefined;
  }
}

type AnswerWriter = {
  write(text: string): void;
  /** What was written counts; nothing takes it back any more. */
  commit(): void;
  /** Forgets the text since the last commit; true where some of it was shown already. */
  discard(): boolean;
  endLine(): void;
  finish(result: RunResult): void;
};

function createAnswerWriter(stream: OutputStream, live: boolean): AnswerWriter {
  let waiting = '';
  let step = '';
  let lastStep = '';
  let atLineStart = true;
  const put = (text: string) => {
    if (text === '') return;
    stream.write(showable(text));
    atLineStart = text.endsWith('\n');
  };
  const endLine = () => (atLineStart ? undefined : put('\n'));
  const forget = () => {
    waiting = '';
    step = '';
  };
  const commit = () => {
    if (step === '') return;
    put(waiting);
    endLine();
    lastStep = step.trim();
    forget();
  };
  return {
    write(text) {
      // Many models open with blank lines.
      const shown = step === '' ? text.trimStart() : text;
      step += shown;
      if (live) put(shown);
      else waiting += shown;
    },
    commit,
    discard() {
      const shown = live && step !== '';
      forget();
      return shown;
    },
    endLine,
    finish(result) {
      commit();
      const final = result.finalResponse.trim();
      // A summary or a stand-in such as "(empty)" was never streamed; a streamed answer is not said twice.
      const said = lastStep !== '' && (final.endsWith(lastStep) || lastStep.endsWith(final));
      if (final !== '' && !said) put(`${final}\n`);
      endLine();
    },
  };
}
