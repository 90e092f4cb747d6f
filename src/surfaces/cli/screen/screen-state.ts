import type { CliIo } from '../cli-io.ts';
import type { Job } from '../../slash/index.ts';
import { createTheme, supportsHyperlinks, type Theme, type TodoLine } from '../render/index.ts';
import type { ChatTerminalHandlers } from '../terminal/chat-terminal.ts';
import type { LivePart } from './canvas.ts';
import { chooseColours, type ThemeName } from './colours.ts';
import type { Device } from './device.ts';
import type { HistorySearch } from './history-search.ts';
import type { InputHistory } from './input-history.ts';
import { createInput, type Input } from './input.ts';
import { createKeys } from './keys.ts';
import { composeLive } from './live-layout.ts';
import { createPainter, type Painter } from './painter.ts';
import type { Picker } from './picker.ts';
import { createQuestions, type Questions } from './questions.ts';
import { detectReflow } from './reflow.ts';
import { createRhythm, type Rhythm, type TextKind } from './rhythm.ts';
import { createStatus, type Status } from './status.ts';
import type { LastShown, TurnView } from './turn-view.ts';

export type ScreenOptions = {
  io: CliIo;
  device: Device;
  /** How long an approval request waits for an answer. */
  approvalTimeoutMs: number;
  showReasoning: boolean;
  /** The theme of the settings. */
  themeName: ThemeName;
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
  todos: readonly TodoLine[];
  jobs: readonly Pick<Job, 'id' | 'title' | 'startedAt'>[];
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
  /** Prints finished lines, separated from text of another kind. */
  print(lines: readonly string[], kind?: TextKind): void;
  rhythm: Rhythm;
};

/** Creates and connects all parts of the screen. */
export function createScreenState(options: ScreenOptions, handlers: ChatTerminalHandlers): ScreenState {
  const { device, io } = options;
  const { colours } = chooseColours(io.env, options.themeName);
  const theme = createTheme({ colours, links: supportsHyperlinks(io.env) });
  const painter = createPainter(device, {
    compose: () => composeLive(screen),
    reflow: detectReflow(io.env),
    shown: options.earlyFrame,
  });
  const rhythm = createRhythm();
  const currentTheme = () => screen.theme;
  const input = createInput({
    theme: currentTheme,
    rows: () => device.rows,
    onChange: () => screen.draw(),
    onSubmit: (text) => (screen.questions.submit(text) ? undefined : handlers.onLines(text)),
  });
  const questions = createQuestions({
    input,
    theme: currentTheme,
    timeoutMs: options.approvalTimeoutMs,
    onAnswer: handlers.onAnswer,
    typedAt: () => screen.typedAt,
    onChange: () => screen.draw(),
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
    todos: [],
    jobs: [],
    waiting: [],
    draw: painter.requestFrame,
    rhythm,
    print: (lines, kind = 'output') => painter.print(rhythm.printed(kind, lines)),
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
  options.onFirstFrame?.(composeLive(screen));
  return screen;
}
