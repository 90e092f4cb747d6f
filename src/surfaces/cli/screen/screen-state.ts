import type { CliIo } from '../cli-io.ts';
import { createTheme, type Theme } from '../render/index.ts';
import type { ChatTerminalHandlers } from '../terminal/chat-terminal.ts';
import { guessColours } from './colours.ts';
import type { Device } from './device.ts';
import type { HistorySearch } from './history-search.ts';
import { createInput, type Input } from './input.ts';
import type { InputHistory } from './input-history.ts';
import { createKeys } from './keys.ts';
import { layOutLive } from './live-part.ts';
import type { Live } from './canvas.ts';
import { createPainter, type Painter } from './painter.ts';
import { createQuestions, type Questions } from './questions.ts';
import { reflowOf } from './reflow.ts';
import { createStatus, type Status } from './status.ts';
import type { Shown, TurnView } from './turn-view.ts';

export type ScreenOptions = {
  io: CliIo;
  device: Device;
  /** How long an approval waits for its answer. */
  approvalTimeoutMs: number;
  showReasoning: boolean;
  history: InputHistory;
  /** Something happened that a person who looks elsewhere wants to know. */
  notify(text: string): void;
};

/** The parts of a screen and what they show; kept in one object, because nearly every key and event touches several. */
export type ScreenState = ScreenOptions & {
  handlers: ChatTerminalHandlers;
  theme: Theme;
  painter: Painter;
  input: Input;
  questions: Questions;
  status: Status;
  shown: Shown;
  turn: TurnView | undefined;
  /** What stands before the cursor. */
  label: string;
  /** What was being typed when a question came. */
  draft: string;
  steered: string[];
  waiting: readonly string[];
  /** What was typed before, oldest first, and the search in it. */
  typed: string[];
  search: HistorySearch | undefined;
  /** When the last key went into the line that is being typed, or answered a question. */
  typedAt: number | undefined;
  isAnswering: boolean;
  /** Ctrl-X was pressed, and the next key belongs to it. */
  chord: boolean;
  /** The editor of the person is open, or about to be. */
  editing: boolean;
  ticking: NodeJS.Timeout | undefined;
  /** Takes the keys of the terminal; also again, after they were left to another program. */
  open(): void;
  draw(): void;
  print(lines: readonly string[]): void;
};

/** Everything is made here, and drawn from here. */
export function createScreenState(options: ScreenOptions, handlers: ChatTerminalHandlers): ScreenState {
  const { device, io } = options;
  const theme = createTheme({ colours: guessColours(io.env) });
  const painter = createPainter(device, { compose: () => compose(screen), reflow: reflowOf(io.env) });
  const currentTheme = () => screen.theme;
  const input = createInput({
    theme: currentTheme,
    rows: () => device.rows,
    onChange: () => screen.draw(),
    onSubmit: (text) => handlers.onLines(text),
  });
  const questions = createQuestions({
    ...{ input, theme: currentTheme, timeoutMs: options.approvalTimeoutMs, onAnswer: handlers.onAnswer },
    typedAt: () => screen.typedAt,
  });
  const screen: ScreenState = {
    ...options,
    ...{ handlers, theme, painter, input, questions, status: createStatus(), shown: {}, turn: undefined },
    ...{
      label: '',
      draft: '',
      steered: [],
      waiting: [],
      draw: painter.touch,
      print: painter.print,
      ticking: undefined,
    },
    ...{ typed: [], search: undefined, chord: false, editing: false, typedAt: undefined, isAnswering: false },
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
      painter.flush();
    },
  };
  const keys = createKeys(screen);
  return screen;
}

function compose(screen: ScreenState): Live {
  const { device, questions, theme, turn } = screen;
  const size = { columns: device.columns, rows: device.rows };
  return layOutLive(
    {
      turn: (width, rows) => turn?.render(width, rows) ?? [],
      ...{ steered: screen.steered, waiting: screen.waiting, status: screen.status.view() },
      question: questions.render,
      input: questions.panel() === undefined ? drawInput(screen, size.columns) : undefined,
    },
    size,
    theme,
  );
}

function drawInput(screen: ScreenState, columns: number) {
  return screen.search?.render(columns, screen.theme) ?? screen.input.render(columns, labelOf(screen));
}

function labelOf({ label, questions, theme }: ScreenState): string {
  if (questions.request()?.kind === 'clarify') return theme.cyan('answer › ');
  return label === '' ? theme.cyan('❯ ') : label;
}
