import type { AgentEvent, ChangedFile, RunResult } from '../../../base/index.ts';
import type { OutputStream } from '../cli-io.ts';
import { renderToolEnd } from '../render/tool-calls.ts';
import { type Style, printable } from '../style.ts';
import { describeEvent, unprintedAnswer } from './event-note.ts';
import { subagentLine } from './subagent-line.ts';
import type { EventView } from './event-view.ts';

type TextViewOptions = {
  /** The stream for the answer. */
  text: OutputStream;
  /** The stream for everything else; undefined discards it. */
  notes: OutputStream | undefined;
  /** Also print progress, not only problems and changes to the conversation. */
  progress: boolean;
  /** Also print reasoning and tool results. */
  details?: boolean;
  style: Style;
  /**
   * Print text as it arrives. Otherwise the text of a step is printed when the step has ended, so that discarded text
   * is never printed.
   */
  live: boolean;
};

/** Used when the stream is not a terminal. */
const LOG_WIDTH = 120;

/** Prints the answer as text, with one line for each tool call. */
export function createTextView(options: TextViewOptions): EventView {
  const answer = createAnswerWriter(options.text, options.live);
  const calls: View['calls'] = new Map();
  const note = (line: string) => {
    answer.endLine();
    options.notes?.write(`${line}\n`);
  };
  const tell = options.progress ? note : () => answer.endLine();
  const view: View = { options, answer, calls, note, noteProgress: tell, again: undefined, thought: '' };
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
  /** The running calls, by id. */
  calls: Map<string, { arguments: string; changes: ChangedFile[] }>;
  note(line: string): void;
  /** Prints a note about progress. */
  noteProgress(line: string): void;
  /** Why printed text was discarded, until the model starts to write it again. */
  again: string | undefined;
  /** Reasoning that is not printed yet. */
  thought: string;
};

function showEvent(event: AgentEvent, view: View): void {
  const { options, answer, calls, noteProgress } = view;
  const { style } = options;
  switch (event.type) {
    case 'reasoning-delta':
      view.thought += options.details ? event.text : '';
      return undefined;
    case 'text-delta':
      showThought(view);
      return answer.write(event.text);
    case 'thinking-started':
      if (view.again !== undefined) noteProgress(style.dim(`(writing the answer again: ${printable(view.again)})`));
      view.again = undefined;
      return answer.begin();
    case 'answer-discarded':
      // The discard is reported only when the model writes the text again, which never happens after an interrupt or
      // a failure.
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
      return noteProgress(renderToolEnd(call, widthOf(options), style).join('\n'));
    }
    case 'subagent': {
      const line = subagentLine(style, event, { calls, width: widthOf(options) });
      return line === undefined ? undefined : noteProgress(line);
    }
    case 'step-finished':
      return answer.commit();
    case 'compression-started':
    case 'compression-skipped':
      // In a log, the line about the completed compression is enough; a user at a terminal wants to know why there is
      // a wait.
      return options.live ? showNote(event, view) : undefined;
    default:
      return showNote(event, view);
  }
}

const widthOf = ({ notes }: TextViewOptions): number => notes?.columns ?? LOG_WIDTH;

function showNote(event: AgentEvent, { options, note, noteProgress }: View): void {
  const said = describeEvent(event, options.style);
  if (said !== undefined) (said.progress ? noteProgress : note)(said.line);
}

/** Prints the reasoning before the next text or tool call. */
function showThought(view: View): void {
  const { thought, options, note } = view;
  view.thought = '';
  for (const line of thought.trim().split('\n')) if (line !== '') note(options.style.dim(`~ ${printable(line)}`));
}

type AnswerWriter = {
  /**
   * Called when a model call starts. If the step already has text, this call continues it.
   */
  begin(): void;
  write(text: string): void;
  /** Accepts the text; it can no longer be discarded. */
  commit(): void;
  /** Discards the text since the last `begin`. Returns true if some of it was already printed. */
  discard(): boolean;
  endLine(): void;
  finish(result: RunResult): void;
};

function createAnswerWriter(stream: OutputStream, live: boolean): AnswerWriter {
  let step = '';
  /** How many characters of the step came before the current model call. */
  let kept = 0;
  let lastStep = '';
  let atLineStart = true;
  const put = (text: string) => {
    if (text === '') return;
    stream.write(printable(text));
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
      // Many models start with blank lines.
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
      const unsaid = unprintedAnswer(result, lastStep);
      if (unsaid !== undefined) put(`${unsaid}\n`);
      endLine();
    },
  };
}
