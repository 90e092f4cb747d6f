import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findEditor, runEditor } from '../memory/run-editor.ts';
import { createTheme, renderReasoning, renderToolEnd } from '../render/index.ts';
import { describeError } from '../report-error.ts';
import { markedRows } from '../terminal/approval-text.ts';
import { chooseColours, parseBackgroundReply } from './colours.ts';
import { createHistorySearch } from './history-search.ts';
import { isKeyRelease, matchesKey } from './pi-tui.ts';
import { printReport } from './screen-print.ts';
import type { ScreenState } from './screen-state.ts';

/** A key binding. `run` returns false if the key has to be handled as input. */
type Binding = { keys: readonly Parameters<typeof matchesKey>[1][]; run(screen: ScreenState): boolean };

const BINDINGS: readonly Binding[] = [
  { keys: ['ctrl+c'], run: interrupt },
  { keys: ['ctrl+d'], run: leave },
  { keys: ['escape'], run: stop },
  { keys: ['ctrl+z'], run: suspend },
  { keys: ['alt+enter'], run: queue },
  { keys: ['up', 'alt+up'], run: editQueued },
  { keys: ['ctrl+o'], run: showResult },
  { keys: ['ctrl+t'], run: toggleReasoning },
  { keys: ['ctrl+r'], run: searchHistory },
  { keys: ['ctrl+g'], run: openEditor },
  { keys: ['ctrl+l'], run: redraw },
  { keys: ['ctrl+v'], run: pasteImage },
];

/** Handles keys: key bindings first, then text input. */
export function createKeys(screen: ScreenState): (data: string) => void {
  return (data) => {
    // Some terminals also report key releases, which would run every binding twice.
    if (isKeyRelease(data)) return;
    const colours = parseBackgroundReply(data);
    if (colours !== undefined) return applyBackground(screen, colours);
    if (pickItem(screen, data)) return;
    if (screen.search?.handleKey(data) || handleChord(screen, data) || attach(screen, data)) return;
    if (screen.questions.handleKey(data)) return;
    const binding = BINDINGS.find(({ keys }) => keys.some((key) => matchesKey(data, key)));
    if (binding?.run(screen)) return;
    handleText(screen, data);
  };
}

/** Passes a key to the open list. A question that appears meanwhile gets the keys first. */
function pickItem(screen: ScreenState, data: string): boolean {
  const { picker, questions } = screen;
  if (picker === undefined || questions.request() !== undefined || !picker.handleKey(data)) return false;
  screen.typedAt = Date.now();
  return true;
}

/** Passes a text key to the approval panel, or to the input if the panel does not accept it. */
function handleText(screen: ScreenState, data: string): void {
  const { input, questions } = screen;
  const panel = questions.panel();
  const isEnter = matchesKey(data, 'enter');
  if (panel?.handleKey(data)) {
    // A key that is held or pressed twice must neither answer the next question nor be typed.
    [screen.typedAt, screen.isAnswering] = [Date.now(), true];
    return;
  }
  // A line that is sent now would be taken as the answer.
  if (panel !== undefined && (isEnter || screen.isAnswering)) return;
  // After Enter, the user is no longer considered to be typing.
  if (panel === undefined) [screen.typedAt, screen.isAnswering] = [isEnter ? undefined : Date.now(), false];
  input.handleKey(data);
}

/** Applies the background that the terminal reported. Text that is already printed keeps its colours. */
function applyBackground(screen: ScreenState, colours: 'dark' | 'light'): void {
  const { isGuess } = chooseColours(screen.io.env, screen.themeName);
  if (!isGuess || screen.theme.colours === colours) return;
  screen.theme = createTheme({ colours, code: screen.theme.code, links: screen.theme.links });
}

/** Ctrl-X Ctrl-E opens the editor, as in shells. */
function handleChord(screen: ScreenState, data: string): boolean {
  const isSecond = screen.chord;
  screen.chord = matchesKey(data, 'ctrl+x');
  return screen.chord || (isSecond && matchesKey(data, 'ctrl+e') && openEditor(screen));
}

function openEditor(screen: ScreenState): boolean {
  if (screen.questions.panel() !== undefined || screen.editing) return true;
  screen.editing = true;
  void editInEditor(screen).finally(() => {
    screen.editing = false;
  });
  return true;
}

// oxlint-disable-next-line no-control-regex
const PASTED = /^\u001b\[200~([^\n]*)\u001b\[201~$/;
const EMPTY_PASTE = '\u001b[200~\u001b[201~';
const ATTACHABLE = /\.(?:png|jpe?g|gif|webp|pdf)['"]?$/i;

/**
 * Attaches a file that was pasted or dropped. If there is no such file, the paste is text. An empty paste is what
 * some terminals send for an image.
 */
function attach({ questions, handlers, input, draw }: ScreenState, data: string): boolean {
  const path = PASTED.exec(data)?.[1]?.trim() ?? '';
  if (data === EMPTY_PASTE && questions.request() === undefined) handlers.onPasteImage(true);
  if (questions.request() !== undefined || !ATTACHABLE.test(path)) return false;
  const take = async () => {
    if (!(await handlers.onFileDropped(path))) input.handleKey(data);
    draw();
  };
  void take();
  return true;
}

function pasteImage({ questions, handlers }: ScreenState): boolean {
  if (questions.request() === undefined) handlers.onPasteImage(false);
  return true;
}

/** Puts the entry that was found into the input. If the search is cancelled, the typed text stays. */
function searchHistory(screen: ScreenState): boolean {
  if (screen.questions.panel() !== undefined) return true;
  screen.search = createHistorySearch({
    entries: screen.inputHistory,
    onEnd(found) {
      screen.search = undefined;
      if (found !== undefined) screen.input.setText(found);
    },
  });
  return true;
}

/** Interrupts the running turn. Otherwise it clears the input, or leaves if the input is empty. */
function interrupt({ input, turn, handlers }: ScreenState): boolean {
  if (turn !== undefined) handlers.onInterrupt('');
  else {
    const typed = input.text();
    input.setText('');
    handlers.onInterrupt(typed);
  }
  return true;
}

function leave({ input, questions, handlers }: ScreenState): boolean {
  if (input.text() !== '' || questions.panel() !== undefined) return false;
  handlers.onEnd();
  return true;
}

function stop({ input, handlers, questions }: ScreenState): boolean {
  if (questions.panel() === undefined && input.isCompleting()) return false;
  if (!questions.escape()) handlers.onStop();
  return true;
}

/** A process that still runs after this time was not suspended, or has been resumed. */
const RESUME_CHECK_MS = 50;

function suspend({ device, painter, open }: ScreenState): boolean {
  painter.release();
  device.stop();
  const resume = () => {
    clearTimeout(timer);
    process.off('SIGCONT', resume);
    painter.resume();
    open();
  };
  process.once('SIGCONT', resume);
  // Signals the whole process group, as the terminal would.
  process.kill(0, 'SIGTSTP');
  // The kernel does not stop an orphaned process group, such as the first process of a window or a container. In that case the timer resumes the chat. It also keeps the process alive while no keys are read.
  const timer = setTimeout(resume, RESUME_CHECK_MS);
  return true;
}

/** Queues the message during a turn. Between turns the key inserts a new line. */
function queue({ input, turn, handlers, questions }: ScreenState): boolean {
  // While an approval is open, a line would be taken as the answer. In the text of an answer, the key inserts a new line.
  if (turn === undefined || questions.request() !== undefined) return questions.panel() !== undefined;
  const text = input.expandedText().trim();
  input.setText('');
  if (text !== '') handlers.onLines(text, 'queue');
  return true;
}

function editQueued({ input, waiting, handlers }: ScreenState): boolean {
  if (input.text() !== '' || waiting.length === 0) return false;
  const line = handlers.onEditQueued();
  if (line !== undefined) input.setText(line);
  return true;
}

function showResult({ device, print, questions, shown, theme, turn }: ScreenState): boolean {
  const asked = questions.request();
  if (asked?.kind === 'approval') {
    print(markedRows(asked.subject, device.columns));
    return true;
  }
  if (turn?.toggleOutput()) return true;
  const nothing = [theme.dim('There is no tool result to show yet.')];
  print(shown.call ? renderToolEnd({ ...shown.call, expanded: true }, device.columns, theme) : nothing);
  return true;
}

/** Redraws the live part after another program has written over it. */
function redraw({ painter }: ScreenState): boolean {
  painter.release();
  painter.resume();
  return true;
}

/** Shows the last reasoning and all that follows, or collapses reasoning again. */
function toggleReasoning(screen: ScreenState): boolean {
  const { device, print, shown, theme } = screen;
  screen.showReasoning = !screen.showReasoning;
  if (!screen.showReasoning) print([theme.dim('Reasoning is now collapsed.')]);
  else if (shown.reasoning === undefined) print([theme.dim('Reasoning is now shown.')]);
  else print(renderReasoning({ ...shown.reasoning, open: true }, device.columns, theme));
  return true;
}

/** Opens the input in the user's editor, which gets the terminal meanwhile, and reads back what was saved. */
async function editInEditor(screen: ScreenState): Promise<void> {
  const { io, input, painter, device } = screen;
  try {
    const editor = findEditor(io, 'hermes');
    const folder = await mkdtemp(join(tmpdir(), 'hermes-message-'));
    const file = join(folder, 'message.md');
    await writeFile(file, input.expandedText(), { mode: 0o600 });
    painter.release();
    device.stop();
    try {
      await runEditor(editor, file, io, new AbortController().signal);
    } finally {
      painter.resume();
      screen.open();
    }
    input.setText((await readFile(file, 'utf8')).trimEnd());
    await rm(folder, { recursive: true, force: true });
  } catch (thrown) {
    printReport(screen, describeError(thrown));
  }
  screen.draw();
}
