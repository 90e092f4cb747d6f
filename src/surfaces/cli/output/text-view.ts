import type { AgentEvent, ChangedFile, RunResult } from '../../../base/index.ts';
import type { OutputStream } from '../cli-io.ts';
import { renderToolEnd } from '../render/tool-calls.ts';
import { type Style, showable } from '../style.ts';
import { noteOf, unsaidAnswer } from './event-note.ts';
import { subagentLine } from './subagent-line.ts';
import type { EventView } from './event-view.ts';

type TextViewOptions = {
  /** Where the answer goes. */
  text: OutputStream;
  /** Where everything beside the answer goes; undefined keeps quiet. */
  notes: OutputStream | undefined;
  /** Also says what goes on, and not only what changes the conversation or is amiss. */
  progress: boolean;
  /** Also what was thought, and what tools found. */
  details?: boolean;
  style: Style;
  /** Shows text as it comes. Without, a step's text is shown when the step is over, so that none is ever taken back. */
  live: boolean;
};

/** Where nobody knows how wide a line may be. */
const WIDTH_OF_LOGS = 120;

/** The answer as text, with a line for each tool call beside it. */
export function createTextView(options: TextViewOptions): EventView {
  const answer = createAnswerWriter(options.text, options.live);
  const calls: View['calls'] = new Map();
  const note = (line: string) => {
    answer.endLine();
    options.notes?.write(`${line}\n`);
  };
  const tell = options.progress ? note : () => answer.endLine();
  const view: View = { options, answer, calls, note, tell, again: undefined, thought: '' };
  return {
    show: (event) => showEvent(event, view),
    finish(result) {
      answer.finish(result);
    },
  };
}

type View = {
  options: TextViewOptions;
  answer: AnswerWriter;
  /** What is known of each running call. */
  calls: Map<string, { arguments: string; changes: ChangedFile[] }>;
  note(line: string): void;
  /** A note about progress. */
  tell(line: string): void;
  /** Why text that is on the screen will be written again, should it come to that. */
  again: string | undefined;
  /** What was thought and not shown yet. */
  thought: string;
};

function showEvent(event: AgentEvent, view: View): void {
  const { options, answer, calls, tell } = view;
  const { style } = options;
  switch (event.type) {
    case 'reasoning-delta':
      view.thought += options.details ? event.text : '';
      return undefined;
    case 'text-delta':
      showThought(view);
      return answer.write(event.text);
    case 'thinking-started':
      if (view.again !== undefined) tell(style.dim(`(writing that again: ${showable(view.again)})`));
      view.again = undefined;
      return answer.begin();
    case 'answer-discarded':
      // Said when it is written again: after an interrupt, or where the turn fails, it never is.
      if (answer.discard()) view.again = event.reason;
      return answer.endLine();
    case 'tool-started':
      showThought(view);
      answer.commit();
      calls.set(event.callId, { arguments: event.arguments, changes: [] });
      return undefined;
    case 'file-changed':
      calls.get(event.callId)?.changes.push(event);
      return undefined;
    case 'tool-finished': {
      const call = { arguments: '', ...calls.get(event.callId), ...event, expanded: options.details };
      calls.delete(event.callId);
      return tell(renderToolEnd(call, widthOf(options), style).join('\n'));
    }
    case 'subagent': {
      const line = subagentLine(style, event, { calls, width: widthOf(options) });
      return line === undefined ? undefined : tell(line);
    }
    case 'step-finished':
      return answer.commit();
    case 'compression-started':
    case 'compression-skipped':
      // Elsewhere one line is enough; who waits at a terminal wants to know for what.
      return options.live ? showNote(event, view) : undefined;
    default:
      return showNote(event, view);
  }
}

const widthOf = ({ notes }: TextViewOptions): number => notes?.columns ?? WIDTH_OF_LOGS;

function showNote(event: AgentEvent, { options, note, tell }: View): void {
  const said = noteOf(event, options.style);
  if (said !== undefined) (said.progress ? tell : note)(said.line);
}

/** What the model thought before it said or did something. */
function showThought(view: View): void {
  const { thought, options, note } = view;
  view.thought = '';
  for (const line of thought.trim().split('\n')) if (line !== '') note(options.style.dim(`~ ${showable(line)}`));
}

type AnswerWriter = {
  /** A call begins; what came before it in the same step is the first part of an answer that is being continued. */
  begin(): void;
  write(text: string): void;
  /** What was written counts; nothing takes it back any more. */
  commit(): void;
  /** Forgets the text since the last begin; true where some of it was shown already. */
  discard(): boolean;
  endLine(): void;
  finish(result: RunResult): void;
};

function createAnswerWriter(stream: OutputStream, live: boolean): AnswerWriter {
  let step = '';
  /** How much of it came before the call that is running. */
  let kept = 0;
  let lastStep = '';
  let atLineStart = true;
  const put = (text: string) => {
    if (text === '') return;
    stream.write(showable(text));
    atLineStart = text.endsWith('\n');
  };
  const endLine = () => (atLineStart ? undefined : put('\n'));
  const commit = () => {
    if (step === '') return;
    if (!live) put(step);
    endLine();
    lastStep = step.trim();
    step = '';
    kept = 0;
  };
  return {
    begin() {
      kept = step.length;
    },
    write(text) {
      // Many models open with blank lines.
      const shown = step === '' ? text.trimStart() : text;
      step += shown;
      if (live) put(shown);
    },
    commit,
    discard() {
      const shown = live && step.length > kept;
      step = step.slice(0, kept);
      return shown;
    },
    endLine,
    finish(result) {
      commit();
      const unsaid = unsaidAnswer(result, lastStep);
      if (unsaid !== undefined) put(`${unsaid}\n`);
      endLine();
    },
  };
}
