import type { CliIo } from '../cli-io.ts';
import type { Report } from '../report-error.ts';
import { createTheme, type Theme } from '../render/index.ts';
import { showable } from '../style.ts';
import type { ChatTerminal, ChatTerminalHandlers, TurnFacts } from '../terminal/chat-terminal.ts';
import { createCompletionProvider } from './completion/provider.ts';
import type { Device } from './device.ts';
import type { HistorySearch } from './history-search.ts';
import { createInput, type Input } from './input.ts';
import type { InputHistory } from './input-history.ts';
import { createKeys } from './keys.ts';
import { layOutLive } from './live-part.ts';
import { createPainter, type Painter } from './painter.ts';
import { createPrintStream } from './print-stream.ts';
import { createQuestions, type Questions } from './questions.ts';
import { createStatus, type Status } from './status.ts';
import { createTurnView, type Shown, type TurnView } from './turn-view.ts';

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
  steered: string[];
  waiting: readonly string[];
  /** What was typed before, oldest first, and the search in it. */
  typed: string[];
  search: HistorySearch | undefined;
  /** Ctrl-X was pressed, and the next key belongs to it. */
  chord: boolean;
  ticking: NodeJS.Timeout | undefined;
  /** Takes the keys of the terminal; also again, after they were left to another program. */
  open(): void;
  draw(): void;
  print(lines: readonly string[]): void;
};

/** A turn that took so long is one that people look away from. */
const LONG_TURN_SECONDS = 10;
/** So often the clock and the spinner move on. */
const TICK_MS = 100;
/** Of a long message the rest is folded; it is in the session. */
const MOST_ECHO_LINES = 20;

/** A chat with a live part at the bottom of the terminal. */
export function createScreen(options: ScreenOptions, handlers: ChatTerminalHandlers): ChatTerminal {
  const screen = createState(options, handlers);
  const { device, input, painter, questions } = screen;
  const stdout = createPrintStream(device, (text) => printText(screen, text));
  screen.open();
  void options.history.load().then((lines) => {
    screen.typed.unshift(...lines);
    input.addHistory(screen.typed);
  });
  return {
    style: screen.theme,
    io: Object.create(options.io, { stdout: { value: stdout, enumerable: true } }) as CliIo,
    print: (text) => printText(screen, text),
    report: (report) => printReport(screen, report),
    prompt(text, givenBack = '') {
      screen.label = text;
      if (givenBack !== '') input.setText([givenBack, input.whole()].filter(Boolean).join('\n'));
      screen.draw();
    },
    // What is typed has a place of its own: no output runs into it, and no question takes it for its answer.
    clearTyped: () => undefined,
    breakLine: () => undefined,
    echo(text) {
      remember(screen, text);
      printEcho(screen, text);
    },
    noteSteered(text) {
      remember(screen, text);
      screen.steered.push(text);
      screen.draw();
    },
    showWaiting(lines) {
      screen.waiting = [...lines];
      screen.draw();
    },
    beginWork(activity) {
      screen.status.begin();
      screen.status.set(activity);
      tick(screen);
    },
    beginTurn: (facts) => beginTurn(screen, facts),
    endTurn: () => endTurn(screen),
    ask(request) {
      questions.ask(request);
      options.notify(request.kind === 'approval' ? 'An approval waits' : 'A question waits');
      screen.draw();
      // The keys that answer it count from the moment it can be seen.
      painter.flush();
    },
    closeQuestion({ kind }, unanswered) {
      questions.close();
      if (unanswered) screen.print([screen.theme.yellow(UNANSWERED[kind])]);
      screen.draw();
    },
    setCompletions(completions) {
      const { workingDirectory } = options.io;
      input.setCompletion(createCompletionProvider({ workingDirectory, completions }));
    },
    close() {
      endTurn(screen);
      painter.release();
      device.stop();
    },
  };
}

const UNANSWERED = {
  approval: 'Nobody answered, so the answer is no.',
  clarify: 'Nobody answered; the model goes on without an answer.',
} as const;

function createState(options: ScreenOptions, handlers: ChatTerminalHandlers): ScreenState {
  const { device, io } = options;
  const theme = createTheme({ colours: io.env['NO_COLOR'] ? 'none' : 'dark' });
  const painter = createPainter(device);
  const currentTheme = () => screen.theme;
  const input = createInput({
    theme: currentTheme,
    rows: () => device.rows,
    onChange: () => screen.draw(),
    onSubmit: (text) => handlers.onLines(text),
  });
  const questions = createQuestions({
    ...{ input, theme: currentTheme, timeoutMs: options.approvalTimeoutMs, onAnswer: handlers.onAnswer },
  });
  const screen: ScreenState = {
    ...options,
    ...{ handlers, theme, painter, input, questions, status: createStatus(), shown: {}, turn: undefined },
    ...{ label: '', steered: [], waiting: [], draw: () => draw(screen), print: painter.print, ticking: undefined },
    ...{ typed: [], search: undefined, chord: false },
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

function draw(screen: ScreenState): void {
  const { device, painter, questions, theme, turn } = screen;
  const size = { columns: device.columns, rows: device.rows };
  const live = layOutLive(
    {
      turn: (width, rows) => turn?.render(width, rows) ?? [],
      ...{ steered: screen.steered, waiting: screen.waiting, status: screen.status.view() },
      question: questions.render,
      input: questions.panel() === undefined ? drawInput(screen, size.columns) : undefined,
    },
    size,
    theme,
  );
  painter.setLive(live.lines, live.cursor);
}

function drawInput(screen: ScreenState, columns: number) {
  return screen.search?.render(columns, screen.theme) ?? screen.input.render(columns, labelOf(screen));
}

/** For later, in this chat and in others. */
function remember(screen: ScreenState, text: string): void {
  screen.typed.push(text);
  screen.input.addHistory([text]);
  void screen.history.add(text);
}

function labelOf({ label, questions, theme }: ScreenState): string {
  if (questions.request()?.kind === 'clarify') return theme.cyan('answer › ');
  return label === '' ? theme.cyan('❯ ') : label;
}

function beginTurn(screen: ScreenState, facts: TurnFacts): TurnView {
  const view = createTurnView({
    ...{ theme: () => screen.theme, width: () => screen.device.columns, status: screen.status, shown: screen.shown },
    ...{ print: screen.print, onChange: screen.draw, verbosity: facts.verbosity },
    showsReasoning: () => screen.showReasoning || facts.verbosity() === 'full',
    onSteered(text) {
      screen.steered = [];
      printEcho(screen, text);
    },
    onEnd() {
      if (screen.status.seconds() >= LONG_TURN_SECONDS) screen.notify('The turn has ended');
      endTurn(screen);
    },
  });
  screen.turn = view;
  tick(screen);
  // The window is known by the time the first answer has come; nobody waits for it.
  void facts.contextLength().then(screen.status.setWindow, () => undefined);
  return view;
}

function tick(screen: ScreenState): void {
  clearInterval(screen.ticking);
  screen.ticking = setInterval(screen.draw, TICK_MS);
}

/** However it ended, nothing moves any more. */
function endTurn(screen: ScreenState): void {
  clearInterval(screen.ticking);
  screen.ticking = undefined;
  screen.turn = undefined;
  screen.steered = [];
  screen.status.end();
  screen.draw();
}

function printText(screen: ScreenState, text: string): void {
  if (text === '') return;
  screen.print(text.replace(/\n$/, '').split('\n'));
}

function printReport(screen: ScreenState, { message, hint }: Report): void {
  const { theme } = screen;
  const lines = [theme.red(`✗ ${showable(message)}`), ...(hint ? [`  ${showable(hint)}`] : [])];
  screen.print(lines.flatMap((line) => line.split('\n')));
}

/** What the person said, where it begins to count. */
function printEcho(screen: ScreenState, text: string): void {
  const { theme } = screen;
  const [first = '', ...rest] = showable(text).split('\n');
  const more = rest.length - MOST_ECHO_LINES;
  const shown = rest.slice(0, MOST_ECHO_LINES).map((line) => `  ${line}`);
  const cut = more > 0 ? [theme.dim(`  … ${more} more lines`)] : [];
  screen.print(['', `${theme.cyan('❯')} ${first}`, ...shown, ...cut]);
}
