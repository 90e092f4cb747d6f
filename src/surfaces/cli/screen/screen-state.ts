import type { EnvironmentVariables } from '../../../config/index.ts';
import type { CliIo } from '../cli-io.ts';
import { createTheme, renderStatusLine, type StatusView, type Theme } from '../render/index.ts';
import { printable } from '../style.ts';
import type { ChatTerminalHandlers } from '../terminal/chat-terminal.ts';
import type { CursorPosition, LivePart, Reflow } from './canvas.ts';
import { guessColours } from './colours.ts';
import type { Device } from './device.ts';
import type { HistorySearch } from './history-search.ts';
import type { InputHistory } from './input-history.ts';
import { createInput, type Input } from './input.ts';
import { createKeys } from './keys.ts';
import { createPainter, type Painter } from './painter.ts';
import type { Picker } from './picker.ts';
import { createQuestions, type Questions } from './questions.ts';
import { createStatus, type Status } from './status.ts';
import type { LastShown, TurnView } from './turn-view.ts';
import { fitLine } from './width.ts';

export type ScreenOptions = {
  io: CliIo;
  device: Device;
  /** How long an approval request waits for an answer. */
  approvalTimeoutMs: number;
  showReasoning: boolean;
  history: InputHistory;
  /** What the early input line shows. */
  earlyFrame?: LivePart;
  /** Called with the first frame, before any key. */
  onFirstFrame?(frame: LivePart): void;
  /** Notifies a user who is not looking at the terminal. */
  notify(text: string): void;
};

/** The parts of a screen and their state, in one object because nearly every key and event affects several of them. */
export type ScreenState = ScreenOptions & {
  handlers: ChatTerminalHandlers;
  theme: Theme;
  painter: Painter;
  input: Input;
  questions: Questions;
  status: Status;
  shown: LastShown;
  turn: TurnView | undefined;
  /** The prompt in front of the cursor. */
  label: string;
  /** The text that was being typed when a question appeared. */
  draft: string;
  steered: string[];
  waiting: readonly string[];
  /** The input history, oldest first, and the open search in it. */
  inputHistory: string[];
  search: HistorySearch | undefined;
  /** The open list; it is hidden while a question is open. */
  picker: Picker | undefined;
  /** When the last key was typed into the input or answered a question. */
  typedAt: number | undefined;
  isAnswering: boolean;
  /** Ctrl-X was pressed, and the next key completes the chord. */
  chord: boolean;
  /** The external editor is open, or about to open. */
  editing: boolean;
  ticking: NodeJS.Timeout | undefined;
  /** Starts reading keys, initially and after another program has used the terminal. */
  open(): void;
  draw(): void;
  print(lines: readonly string[]): void;
};

/** Creates and connects all parts of the screen. */
export function createScreenState(options: ScreenOptions, handlers: ChatTerminalHandlers): ScreenState {
  const { device, io } = options;
  const theme = createTheme({ colours: guessColours(io.env) });
  const painter = createPainter(device, {
    compose: () => compose(screen),
    reflow: detectReflow(io.env),
    shown: options.earlyFrame,
  });
  const currentTheme = () => screen.theme;
  const input = createInput({
    theme: currentTheme,
    rows: () => device.rows,
    onChange: () => screen.draw(),
    onSubmit: (text) => handlers.onLines(text),
  });
  const questions = createQuestions({
    input,
    theme: currentTheme,
    timeoutMs: options.approvalTimeoutMs,
    onAnswer: handlers.onAnswer,
    typedAt: () => screen.typedAt,
  });
  const screen: ScreenState = {
    ...options,
    handlers,
    theme,
    painter,
    input,
    questions,
    status: createStatus(),
    shown: {},
    turn: undefined,
    label: '',
    draft: '',
    steered: [],
    waiting: [],
    draw: painter.requestFrame,
    print: painter.print,
    ticking: undefined,
    inputHistory: [],
    search: undefined,
    picker: undefined,
    chord: false,
    editing: false,
    typedAt: undefined,
    isAnswering: false,
    open() {
      device.start(
        (data) => {
          keys(data);
          screen.draw();
        },
        () => {
          painter.resized();
          screen.draw();
        },
      );
      screen.draw();
      // The first frame contains what was typed before, so that typed text does not disappear for a moment.
      if (!device.hasUnread?.()) painter.flush();
    },
  };
  const keys = createKeys(screen);
  options.onFirstFrame?.(compose(screen));
  return screen;
}

function compose(screen: ScreenState): LivePart {
  const { device, questions, theme, turn } = screen;
  const size = { columns: device.columns, rows: device.rows };
  return layOutLive(
    {
      turn: (width, rows) => turn?.render(width, rows) ?? [],
      steered: screen.steered,
      waiting: screen.waiting,
      status: screen.status.view(),
      question: questions.render,
      input: questions.panel() === undefined ? drawInput(screen, size) : undefined,
    },
    size,
    theme,
  );
}

/** The share of the window that a list takes. */
const PICKER_SHARE = 2 / 3;
const MIN_PICKER_ROWS = 8;

function drawInput(screen: ScreenState, { columns, rows }: { columns: number; rows: number }) {
  const { search, picker, theme, questions } = screen;
  const room = Math.min(rows - 1, Math.max(MIN_PICKER_ROWS, Math.floor(rows * PICKER_SHARE)));
  if (questions.request() === undefined && picker !== undefined) return picker.render(columns, room, theme);
  return search?.render(columns, theme) ?? screen.input.render(columns, labelOf(screen));
}

function labelOf({ label, questions, theme }: ScreenState): string {
  if (questions.request()?.kind === 'clarify') return theme.cyan('answer › ');
  return label === '' ? theme.cyan('❯ ') : label;
}

/** Everything that the live part shows, from top to bottom. */
type LiveState = {
  /** The end of the answer, and the running tool calls. */
  turn(width: number, rows: number): string[];
  /** Messages that were passed to the turn but not read by the model yet. */
  steered: readonly string[];
  /** Messages that are queued until the turn ends. */
  waiting: readonly string[];
  question(width: number, rows: number): string[];
  status: StatusView;
  /** Undefined while an approval is open. */
  input: { lines: readonly string[]; cursor: CursorPosition } | undefined;
};

const MAX_QUEUE_LINES = 5;
const SMALL_WINDOW_ROWS = 6;

/** Lays out the live part. The turn gets the rows that the other parts leave free. */
function layOutLive(state: LiveState, { columns, rows }: { columns: number; rows: number }, theme: Theme): LivePart {
  const queue = drawQueue(state, columns, theme);
  const hasStatus = Object.keys(state.status).length > 0;
  // In a small window an approval needs all rows.
  const isCrowded = state.input === undefined && rows <= SMALL_WINDOW_ROWS;
  const status = hasStatus && !isCrowded ? [renderStatusLine(state.status, columns, theme)] : [];
  const input = state.input?.lines ?? [];
  const room = rows - 1 - queue.length - status.length - input.length;
  const question = state.question(columns, room);
  const turn = state.turn(columns, Math.max(0, room - question.length));
  const above = [...turn, ...question, ...queue, ...status];
  const cursor = state.input && { row: above.length + state.input.cursor.row, column: state.input.cursor.column };
  return { lines: [...above, ...input], cursor };
}

function drawQueue({ steered, waiting }: LiveState, columns: number, theme: Theme): string[] {
  const oneLine = (marker: string, text: string) =>
    theme.dim(fitLine(`${marker} ${printable(text).replace(/\s+/g, ' ').trim()}`, columns));
  const lines = [
    ...steered.map((text) => oneLine('↪ next step:', text)),
    ...waiting.map((text) => oneLine('» queued (↑ to edit):', text)),
  ];
  const more = lines.length - MAX_QUEUE_LINES;
  return more > 0 ? [...lines.slice(0, MAX_QUEUE_LINES), theme.dim(`  … ${more} more`)] : lines;
}

/** Variables set by terminals that re-wrap all lines, including the one with the cursor. */
const WRAP_ALL = ['VTE_VERSION', 'KITTY_WINDOW_ID', 'ALACRITTY_WINDOW_ID', 'WT_SESSION', 'TMUX'];
const WRAP_ALL_PROGRAMS = new Set(['iTerm.app', 'WezTerm', 'ghostty', 'Apple_Terminal']);
/** Variables set by terminals that never re-wrap: xterm and GNU screen. */
const WRAP_NONE = ['XTERM_VERSION', 'STY'];

/** Detects from environment variables how the terminal re-wraps its content when its width changes. */
function detectReflow(env: EnvironmentVariables): Reflow {
  const has = (name: string) => env[name] !== undefined && env[name] !== '';
  // Inside tmux, tmux does the wrapping, regardless of the outer terminal.
  if (has('TMUX')) return 'all';
  if (WRAP_NONE.some(has) || env['TERM'] === 'linux') return 'none';
  return WRAP_ALL.some(has) || WRAP_ALL_PROGRAMS.has(env['TERM_PROGRAM'] ?? '') ? 'all' : 'all but the cursor line';
}
