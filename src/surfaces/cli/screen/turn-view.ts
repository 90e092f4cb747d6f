import type { AgentEvent, ChangedFile, RunResult } from '../../../base/index.ts';
import type { Verbosity } from '../../slash/index.ts';
import { describeEvent } from '../output/event-note.ts';
import type { EventView } from '../output/event-view.ts';
import { subagentNote } from '../output/subagent-line.ts';
import {
  createAnswerStream,
  type EndedCall,
  goalOf,
  parseTodos,
  renderDiff,
  renderReasoning,
  renderSubagent,
  renderSubagentEnd,
  renderToolEnd,
  renderToolStart,
  type Theme,
  type TodoLine,
} from '../render/index.ts';
import { printable } from '../style.ts';
import { type Answer, createAnswer } from './answer.ts';
import { createOutputTail, type OutputTail } from './output-tail.ts';
import type { Rhythm, TextKind } from './rhythm.ts';
import type { Status } from './status.ts';

/** Displays a turn on the screen: unfinished parts are drawn in the live part, everything else is printed. */
export interface TurnView extends EventView {
  /** Shows more or less of the output of running calls; false if there is none. */
  toggleOutput(): boolean;
  /** Renders the part of the live part that belongs to the turn. */
  render(width: number, rows: number): string[];
}

/** The last tool result and the last reasoning, which Ctrl-O and Ctrl-T show. */
export type LastShown = {
  call?: EndedCall;
  reasoning?: { text: string; seconds: number };
};

type TurnViewOptions = {
  theme(): Theme;
  width(): number;
  status: Status;
  shown: LastShown;
  showsReasoning(): boolean;
  verbosity(): Verbosity;
  rhythm: Rhythm;
  print(lines: readonly string[], kind: TextKind): void;
  /** The live part changed. */
  onChange(): void;
  /** The model has changed its task list. */
  onTodos(todos: readonly TodoLine[]): void;
  /** The model has read this steered message. */
  onSteered(text: string): void;
  onEnd(result: RunResult): void;
};

type RunningCall = { name: string; arguments: string; since: number; output: OutputTail; changes: ChangedFile[] } & {
  subagents?: SubagentLines;
};
type View = {
  options: TurnViewOptions;
  answer: Answer;
  calls: Map<string, RunningCall>;
  thinking: { text: string; since: number } | undefined;
  again: string | undefined;
  /** Whether running calls show more of their output. */
  isUnfolded: boolean;
};

/** The maximum length of the stored reasoning. */
const MAX_REASONING_LENGTH = 100_000;
const MAX_CALLS = 6;
/** How many lines of output a running call shows: one call, one of several, and unfolded. */
const OUTPUT_LINES = { one: 5, several: 1, unfolded: 40 };

export function createTurnView(options: TurnViewOptions): TurnView {
  const printProse = (lines: readonly string[]) => options.print(lines, 'prose');
  const answer = createAnswer(() => createAnswerStream(options.theme()), printProse, options.width);
  const view: View = { options, answer, calls: new Map(), thinking: undefined, again: undefined, isUnfolded: false };
  options.status.begin();
  return {
    // If the highlighter cannot be loaded, code is drawn without colours.
    ready: options
      .theme()
      .code.prepare()
      .catch(() => undefined),
    show(event) {
      showEvent(event, view);
      options.onChange();
    },
    finish(result) {
      endThinking(view);
      answer.finish(result);
      options.onEnd(result);
      options.status.end();
      options.onChange();
    },
    toggleOutput() {
      if (![...view.calls.values()].some(({ output }) => output.last(1).lines.length > 0)) return false;
      view.isUnfolded = !view.isUnfolded;
      return true;
    },
    render(width, rows) {
      const calls = drawCalls(view, width, rows);
      return layOutTurn(answer.live(width, Math.max(0, rows - calls.length - MAX_GAPS)), calls, options.rhythm);
    },
  };
}

/** A blank line above the text, and one between the text and the calls. */
const MAX_GAPS = 2;

/** Separates the unfinished text and the running calls as they will be when they are printed. */
function layOutTurn(text: string[], calls: string[], rhythm: Rhythm): string[] {
  if (text.length === 0) return calls.length === 0 ? [] : [...rhythm.before('activity'), ...calls];
  const gap = calls.length > 0 && text.at(-1) !== '' ? [''] : [];
  return [...(text[0] === '' ? [] : rhythm.before('prose')), ...text, ...gap, ...calls];
}

function drawCalls({ calls, isUnfolded, options }: View, width: number, rows: number): string[] {
  const running = [...calls.values()].slice(-MAX_CALLS);
  const wanted = isUnfolded ? OUTPUT_LINES.unfolded : running.length > 1 ? OUTPUT_LINES.several : OUTPUT_LINES.one;
  // Each call has its own line and one about earlier output.
  const room = Math.floor((rows - 2 * running.length) / Math.max(1, running.length));
  const count = Math.max(0, Math.min(wanted, room));
  return running.flatMap((call) => drawCall(call, width, count, options));
}

function drawCall(call: RunningCall, width: number, lines: number, { theme }: TurnViewOptions): string[] {
  const { subagents, name, since } = call;
  // Each subagent has its own line, so the output of the call that started it is not shown.
  const output = call.output.last(subagents === undefined ? lines : 0);
  const own = { name, arguments: call.arguments, elapsedMs: performance.now() - since, output };
  return [...renderToolStart(own, width, theme()), ...(subagents?.draw(width, theme()) ?? [])];
}

function showEvent(event: AgentEvent, view: View): void {
  const { options, answer } = view;
  const { status } = options;
  switch (event.type) {
    case 'thinking-started':
      status.set('thinking');
      announceRewrite(view);
      return answer.begin();
    case 'reasoning-delta':
      view.thinking ??= { text: '', since: performance.now() };
      if (view.thinking.text.length < MAX_REASONING_LENGTH) view.thinking.text += event.text;
      return undefined;
    case 'text-delta':
      endThinking(view);
      status.set('answering');
      return answer.write(event.text);
    case 'answer-discarded':
      if (answer.discard()) view.again = event.reason;
      return undefined;
    case 'tool-call-seen':
      endThinking(view);
      return status.set(`preparing ${event.name}`);
    case 'step-finished':
      endThinking(view);
      return answer.commit();
    case 'steered':
      answer.commit();
      return options.onSteered(event.text);
    case 'usage':
      return status.addUsage(event);
    case 'subagent':
      return showSubagent(event, view);
    case 'tool-started':
    case 'tool-progress':
    case 'file-changed':
    case 'tool-finished':
      return showCall(event, view);
    default:
      return showNote(event, view);
  }
}

type CallEvent = Extract<AgentEvent, { type: 'tool-started' | 'tool-progress' | 'file-changed' | 'tool-finished' }>;

function showCall(event: CallEvent, view: View): void {
  const { options, answer, calls } = view;
  if (event.type === 'tool-started') {
    endThinking(view);
    answer.commit();
    calls.set(event.callId, { ...event, since: performance.now(), output: createOutputTail(), changes: [] });
    return options.status.set(event.name);
  }
  const call = calls.get(event.callId);
  if (event.type === 'tool-progress') {
    return call?.output.push(event.text);
  }
  if (event.type === 'file-changed') {
    call?.changes.push(event);
    return undefined;
  }
  calls.delete(event.callId);
  const todos = event.name === 'todo' ? parseTodos(event.content) : undefined;
  if (todos !== undefined) options.onTodos(todos);
  printEnded({ ...event, arguments: call?.arguments ?? '{}', changes: call?.changes ?? [] }, options);
  const next = [...calls.values()].at(-1);
  return options.status.set(next?.name ?? 'thinking');
}

function showSubagent(event: Extract<AgentEvent, { type: 'subagent' }>, { options, calls, answer }: View): void {
  // The usage of a subagent counts towards the cost of the turn, but does not affect its context window.
  if (event.event.type === 'usage') options.status.addSpending(event.event);
  const call = calls.get(event.callId);
  if (call === undefined) return;
  call.subagents ??= createSubagentLines(call.arguments);
  const line = call.subagents.handle(event, options.width(), options.theme());
  if (line === undefined || options.verbosity() === 'quiet') return;
  answer.flush();
  options.print([line], 'activity');
}

/** Prints the line of a finished call and the diffs of the files it changed. */
function printEnded(
  call: EndedCall & { changes: ChangedFile[] },
  { print, shown, theme, verbosity, width }: TurnViewOptions,
): void {
  shown.call = call;
  if (verbosity() === 'quiet') return;
  const titled = call.changes.length > 1;
  const diffs = call.changes.flatMap((change) => renderDiff(change, width(), theme(), { titled }));
  const expanded = verbosity() === 'full';
  print([...renderToolEnd({ ...call, expanded }, width(), theme()), ...diffs], 'activity');
}

function showNote(event: AgentEvent, view: View): void {
  const said = describeEvent(event, view.options.theme());
  if (said === undefined) return;
  view.answer.flush();
  view.options.print([said.line], 'activity');
}

/**
 * Announces that the model is writing printed text again. This is printed only when the new text starts, because
 * after an interrupt there is none.
 */
function announceRewrite(view: View): void {
  const { theme, print } = view.options;
  if (view.again !== undefined)
    print([theme().dim(`(writing the answer again: ${printable(view.again)})`)], 'activity');
  view.again = undefined;
}

/** Prints the reasoning that has ended: one line, or all of it if reasoning is shown. */
function endThinking(view: View): void {
  const { thinking, options } = view;
  view.thinking = undefined;
  if (thinking === undefined || thinking.text.trim() === '') return;
  const seconds = Math.round((performance.now() - thinking.since) / 1000);
  options.shown.reasoning = { text: thinking.text, seconds };
  const open = options.showsReasoning();
  options.print(renderReasoning({ text: thinking.text, seconds, open }, options.width(), options.theme()), 'activity');
}

type SubagentNews = Extract<AgentEvent, { type: 'subagent' }>;
type RunningSubagent = { since: number; calls: Map<string, { name: string; arguments: string }> };

/** The subagents of one call: running ones are drawn below it, finished ones are printed. */
interface SubagentLines {
  /** Processes an event and returns the line to print, if any. */
  handle(news: SubagentNews, width: number, theme: Theme): string | undefined;
  draw(width: number, theme: Theme): string[];
}

/** One level below the call of the agent. */
const DEPTH = 1;
const MAX_DRAWN = 6;

function createSubagentLines(callArguments: string): SubagentLines {
  const working = new Map<number, RunningSubagent>();
  const about = (task: number) => ({ task, goal: goalOf(callArguments, task), depth: DEPTH });
  return {
    handle({ task, event }, width, theme) {
      if (event.type === 'ended') {
        working.delete(task);
        return renderSubagentEnd({ ...about(task), ...event }, width, theme);
      }
      const one = working.get(task) ?? { since: performance.now(), calls: new Map() };
      working.set(task, one);
      if (event.type === 'tool-started') one.calls.set(event.callId, event);
      if (event.type === 'tool-finished') one.calls.delete(event.callId);
      return subagentNote(theme, task, event);
    },
    draw(width, theme) {
      const all = [...working].toSorted(([one], [other]) => one - other);
      const lines = all.slice(0, MAX_DRAWN).map(([task, { since, calls }]) => {
        const now = { call: [...calls.values()].at(-1), elapsedMs: performance.now() - since };
        return renderSubagent({ ...about(task), ...now }, width, theme);
      });
      const more = all.length - MAX_DRAWN;
      return more > 0 ? [...lines, theme.dim(`  … ${more} more`)] : lines;
    },
  };
}
