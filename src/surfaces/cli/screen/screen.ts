import { Writable } from 'node:stream';
import type { InteractionRequest } from '../../../base/index.ts';
import { stripAnsi } from '../../../util/index.ts';
import type { CliIo, OutputStream } from '../cli-io.ts';
import { createTheme, isOpen, type Theme } from '../render/index.ts';
import type { Style } from '../style.ts';
import type { ChatTerminal, ChatTerminalHandlers, TurnDisplayOptions } from '../terminal/chat-terminal.ts';
import { UNANSWERED_MESSAGES } from '../terminal/question.ts';
import { chooseColours, queryBackground, type ThemeName } from './colours.ts';
import { createCompletionProvider } from './completion.ts';
import type { Device } from './device.ts';
import { pick } from './pick.ts';
import { printAnswer, printConversation, printEcho, printPlan, printReport, printText } from './screen-print.ts';
import { createScreenState, type ScreenOptions, type ScreenState } from './screen-state.ts';
import { createTurnView, type TurnView } from './turn-view.ts';

/** A chat with a live part at the bottom of the terminal. */
export function createScreen(options: ScreenOptions, handlers: ChatTerminalHandlers): ChatTerminal {
  const screen = createScreenState(options, handlers);
  const { device, input, painter } = screen;
  const stdout = createPrintStream(device, (text) => printText(screen, text));
  loadHistory(screen);
  screen.open();
  if (chooseColours(options.io.env, options.themeName).isGuess) queryBackground(device);
  // Loads the highlighter early enough for the first answer, but without delaying the first key press.
  setTimeout(() => void screen.theme.code.prepare(), PREPARE_MS).unref();
  return {
    style: createThemedStyle(() => screen.theme),
    hasLivePart: true,
    io: Object.create(options.io, { stdout: { value: stdout, enumerable: true } }) as CliIo,
    print: (text) => printText(screen, text),
    printAnswer: (markdown) => printAnswer(screen, markdown),
    printConversation: (messages) => printConversation(screen, messages),
    report: (report) => printReport(screen, report),
    prompt: (text, givenBack) => prompt(screen, text, givenBack),
    clearInput: () => stashDraft(screen),
    // The input is drawn separately, so no output runs into it.
    breakLine: () => undefined,
    echo(text) {
      addToHistory(screen, text);
      printEcho(screen, text);
    },
    showSteered(text) {
      addToHistory(screen, text);
      screen.steered.push(text);
      screen.draw();
    },
    showQueued(lines) {
      screen.waiting = [...lines];
      screen.draw();
    },
    showJobs(running) {
      screen.jobs = running;
      screen.draw();
    },
    showMode(mode) {
      screen.status.showMode(mode);
      screen.draw();
    },
    beginWork: (activity) => beginWork(screen, activity),
    beginTurn: (facts) => beginTurn(screen, facts),
    endTurn: () => endTurn(screen),
    resetFigures(what) {
      if (what === 'session') screen.todos = [];
      screen.status.reset(what);
      screen.draw();
    },
    setTheme: (name) => setTheme(screen, name),
    pick: (request) => pick(screen, request),
    cancelPick: () => screen.picker?.cancel(),
    ask: (request, again) => ask(screen, request, again),
    closeQuestion: (request, unanswered) => closeQuestion(screen, request, unanswered),
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

/** Changes the colours of everything that is drawn from now on. */
function setTheme(screen: ScreenState, name: ThemeName): void {
  screen.themeName = name;
  const { colours, isGuess } = chooseColours(screen.io.env, name);
  screen.theme = createTheme({ colours, code: screen.theme.code, links: screen.theme.links });
  if (isGuess) queryBackground(screen.device);
  screen.draw();
}

/** Adds a line to the history of this chat and to the stored one. */
function addToHistory(screen: ScreenState, text: string): void {
  screen.inputHistory.push(text);
  screen.input.addHistory([text]);
  screen.history.add(text);
}

/** A style that uses the current theme, because the background may become known only later. */
function createThemedStyle(theme: () => Theme): Style {
  const names = ['bold', 'dim', 'red', 'green', 'yellow', 'cyan'] as const;
  const paints = names.map((name) => [name, (text: string) => theme()[name](text)]);
  return Object.fromEntries(paints) as Style;
}

const PREPARE_MS = 300;

function prompt(screen: ScreenState, text: string, givenBack = ''): void {
  const { input } = screen;
  const isForMessages = stripAnsi(text).startsWith('❯');
  // The prompt of messages is drawn with the theme of each frame.
  screen.label = isForMessages ? '' : text;
  const draft = isForMessages ? screen.draft : '';
  if (isForMessages) screen.draft = '';
  const back = [givenBack, draft].filter(Boolean);
  if (back.length > 0) input.setText([...back, input.expandedText()].filter(Boolean).join('\n'));
  screen.draw();
}

/** The typed text cannot be the answer to a new question; it is restored with the next message prompt. */
function stashDraft(screen: ScreenState): void {
  screen.draft = [screen.draft, screen.input.expandedText()].filter(Boolean).join('\n');
  screen.input.setText('');
}

function ask(screen: ScreenState, request: InteractionRequest, again = false): void {
  // The keys now belong to the question.
  screen.search = undefined;
  if (request.kind === 'clarify' && request.plan !== undefined && !again) printPlan(screen, request.plan);
  screen.questions.ask(request);
  screen.notify(request.kind === 'approval' ? 'Approval required' : 'The model has a question');
  screen.draw();
  // Answer keys count as soon as the question is visible.
  screen.painter.flush();
}

function closeQuestion(screen: ScreenState, { kind }: InteractionRequest, unanswered: boolean): void {
  screen.questions.close();
  if (unanswered) screen.print([screen.theme.yellow(UNANSWERED_MESSAGES[kind])]);
  screen.draw();
}

/** Loads the input history of earlier chats. */
function loadHistory(screen: ScreenState): void {
  screen.inputHistory = [...screen.history.load()];
  screen.input.addHistory(screen.inputHistory);
}

/** During a turn of this length people look away, so its end is announced. */
const LONG_TURN_SECONDS = 10;
/** How often the clock and the spinner are redrawn. */
const TICK_MS = 100;

function beginTurn(screen: ScreenState, facts: TurnDisplayOptions): TurnView {
  const view = createTurnView({
    theme: () => screen.theme,
    width: () => screen.device.columns,
    status: screen.status,
    shown: screen.shown,
    rhythm: screen.rhythm,
    onTodos(todos) {
      screen.todos = todos;
    },
    print: screen.print,
    onChange: screen.draw,
    verbosity: facts.verbosity,
    showsReasoning: () => screen.showReasoning || facts.verbosity() === 'full',
    onSteered(text) {
      screen.steered = [];
      printEcho(screen, text);
    },
    onEnd() {
      if (screen.status.seconds() >= LONG_TURN_SECONDS) screen.notify('Turn finished');
      endTurn(screen);
    },
  });
  screen.turn = view;
  tick(screen);
  // Not awaited: the context window is known by the time the first answer arrives.
  void facts.contextLength().then(screen.status.setWindow, () => undefined);
  return view;
}

function tick(screen: ScreenState): void {
  clearInterval(screen.ticking);
  screen.ticking = setInterval(screen.draw, TICK_MS);
}

/** Shows interruptible work that is not a turn. */
function beginWork(screen: ScreenState, activity: string): void {
  screen.status.begin();
  screen.status.set(activity);
  tick(screen);
}

/** Stops the clock and resets the state of the turn. */
function endTurn(screen: ScreenState): void {
  clearInterval(screen.ticking);
  screen.ticking = undefined;
  screen.turn = undefined;
  if (!screen.todos.some(isOpen)) screen.todos = [];
  screen.steered = [];
  screen.status.end();
  screen.draw();
}

/** An OSC sequence for the terminal itself, for example to set the clipboard. */
// oxlint-disable-next-line no-control-regex
const OSC_SEQUENCE = /^\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)$/;

/** Replaces stdout while the screen is open: text is printed above the live part. */
function createPrintStream(device: Device, print: (text: string) => void): OutputStream {
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      const text = String(chunk);
      if (OSC_SEQUENCE.test(text)) device.write(text);
      else print(text);
      done();
    },
  });
  return Object.defineProperties(stream, {
    isTTY: { value: true },
    columns: { get: () => device.columns },
    rows: { get: () => device.rows },
  });
}
