import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findEditor, runEditor } from '../memory/run-editor.ts';
import { createTheme, renderReasoning, renderToolEnd } from '../render/index.ts';
import { describeError } from '../report-error.ts';
import { showableWhole } from '../style.ts';
import { readBackground } from './colours.ts';
import { createHistorySearch } from './history-search.ts';
import { isKeyRelease, matchesKey } from './pi-tui.ts';
import { printReport } from './screen-print.ts';
import type { ScreenState } from './screen-state.ts';

/** A key, and what it does; false hands it on to whoever comes next. */
type Binding = { keys: readonly Parameters<typeof matchesKey>[1][]; run(screen: ScreenState): boolean };

const BINDINGS: readonly Binding[] = [
  { keys: ['ctrl+c'], run: interrupt },
  { keys: ['ctrl+d'], run: leave },
  { keys: ['escape'], run: stop },
  { keys: ['ctrl+z'], run: suspend },
  { keys: ['alt+enter'], run: queue },
  { keys: ['up', 'alt+up'], run: takeBack },
  { keys: ['ctrl+o'], run: showResult },
  { keys: ['ctrl+t'], run: toggleReasoning },
  { keys: ['ctrl+r'], run: searchHistory },
  { keys: ['ctrl+g'], run: editElsewhere },
  { keys: ['ctrl+l'], run: drawAnew },
];

/** What each key does, before it is something to type. */
export function createKeys(screen: ScreenState): (data: string) => void {
  return (data) => {
    // Terminals that tell when a key is let go would have everything done twice.
    if (isKeyRelease(data)) return;
    const colours = readBackground(data);
    if (colours !== undefined) return followBackground(screen, colours);
    if (screen.search?.handleKey(data) || takeChord(screen, data) || attach(screen, data)) return;
    const binding = BINDINGS.find(({ keys }) => keys.some((key) => matchesKey(data, key)));
    if (binding?.run(screen)) return;
    type(screen, data);
  };
}

/** A key that is text: for the panel of an approval, and where that leaves it, for the input. */
function type(screen: ScreenState, data: string): void {
  const { input, questions } = screen;
  const panel = questions.panel();
  const isEnter = matchesKey(data, 'enter');
  if (panel?.handleKey(data)) {
    // A key that is held, or pressed twice, is no answer to the question that comes next, and nothing to type either.
    [screen.typedAt, screen.isAnswering] = [Date.now(), true];
    return;
  }
  // A line that would be sent now would be taken for the answer.
  if (panel !== undefined && (isEnter || screen.isAnswering)) return;
  // Whoever sends a line is done with typing.
  if (panel === undefined) [screen.typedAt, screen.isAnswering] = [isEnter ? undefined : Date.now(), false];
  input.handleKey(data);
}

/** The answer of the terminal about its background. What is printed already stays as it is. */
function followBackground(screen: ScreenState, colours: 'dark' | 'light'): void {
  if (screen.theme.colours === 'none' || screen.theme.colours === colours) return;
  screen.theme = createTheme({ colours, code: screen.theme.code });
}

/** Ctrl-X Ctrl-E, as shells have it. */
function takeChord(screen: ScreenState, data: string): boolean {
  const isSecond = screen.chord;
  screen.chord = matchesKey(data, 'ctrl+x');
  return screen.chord || (isSecond && matchesKey(data, 'ctrl+e') && editElsewhere(screen));
}

function editElsewhere(screen: ScreenState): boolean {
  if (screen.questions.panel() !== undefined || screen.editing) return true;
  screen.editing = true;
  void editOutside(screen).finally(() => {
    screen.editing = false;
  });
  return true;
}

// oxlint-disable-next-line no-control-regex
const PASTED = /^\u001b\[200~([^\n]*)\u001b\[201~$/;
const ATTACHABLE = /\.(?:png|jpe?g|gif|webp|pdf)['"]?$/i;

/** A file that is pasted, or dropped on the terminal, goes with the next message; where there is none, it is text. */
function attach({ questions, handlers, input, draw }: ScreenState, data: string): boolean {
  const path = PASTED.exec(data)?.[1]?.trim() ?? '';
  if (questions.request() !== undefined || !ATTACHABLE.test(path)) return false;
  const take = async () => {
    if (!(await handlers.onFile(path))) input.handleKey(data);
    draw();
  };
  void take();
  return true;
}

/** What is found goes into the input, to be edited or sent; without, what was typed stays. */
function searchHistory(screen: ScreenState): boolean {
  if (screen.questions.panel() !== undefined) return true;
  screen.search = createHistorySearch({
    entries: screen.typed,
    onEnd(found) {
      screen.search = undefined;
      if (found !== undefined) screen.input.setText(found);
    },
  });
  return true;
}

/** For what runs; else it clears what is typed, and leaves where nothing is. */
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
  handlers.onStop();
  return true;
}

/** Who still runs after so long was not stopped, or has been woken. */
const NOT_STOPPED_MS = 50;

function suspend({ device, painter, open }: ScreenState): boolean {
  if (process.platform === 'win32') return true;
  painter.release();
  device.stop();
  const goOn = () => {
    clearTimeout(timer);
    process.off('SIGCONT', goOn);
    painter.resume();
    open();
  };
  process.once('SIGCONT', goOn);
  // The whole group, as the terminal itself would do it.
  process.kill(0, 'SIGTSTP');
  // Without a shell that could wake it, nothing stops a program: the first of a window, or of a container. And without the
  // keys a program that goes on has nothing else to wait for, and would end.
  const timer = setTimeout(goOn, NOT_STOPPED_MS);
  return true;
}

/** During a turn: the message waits for its end. Between turns the key makes a new line. */
function queue({ input, turn, handlers, questions }: ScreenState): boolean {
  // While single keys answer, a line would be taken for the answer.
  if (turn === undefined || questions.panel() !== undefined) return questions.panel() !== undefined;
  const text = input.whole().trim();
  input.setText('');
  if (text !== '') handlers.onLines(text, 'queue');
  return true;
}

function takeBack({ input, waiting, handlers }: ScreenState): boolean {
  if (input.text() !== '' || waiting.length === 0) return false;
  const line = handlers.onTakeBack();
  if (line !== undefined) input.setText(line);
  return true;
}

function showResult({ device, print, questions, shown, theme }: ScreenState): boolean {
  const asked = questions.request();
  if (asked?.kind === 'approval') {
    print(showableWhole(asked.subject).split('\n'));
    return true;
  }
  const nothing = [theme.dim('No call has brought anything yet.')];
  print(shown.call ? renderToolEnd({ ...shown.call, expanded: true }, device.columns, theme) : nothing);
  return true;
}

/** Where another program has written over it. */
function drawAnew({ painter }: ScreenState): boolean {
  painter.release();
  painter.resume();
  return true;
}

/** Shows the last thought, and those that come; or folds them again. */
function toggleReasoning(screen: ScreenState): boolean {
  const { device, print, shown, theme } = screen;
  screen.showReasoning = !screen.showReasoning;
  if (!screen.showReasoning) print([theme.dim('Thoughts are folded from now on.')]);
  else if (shown.reasoning === undefined) print([theme.dim('Thoughts are shown from now on.')]);
  else print(renderReasoning({ ...shown.reasoning, open: true }, device.columns, theme));
  return true;
}

/** Has the person write in the editor of their choice, while the screen is left to it; what they save is in the input. */
async function editOutside(screen: ScreenState): Promise<void> {
  const { io, input, painter, device } = screen;
  try {
    const editor = findEditor(io, 'hermes');
    const folder = await mkdtemp(join(tmpdir(), 'hermes-message-'));
    const file = join(folder, 'message.md');
    await writeFile(file, input.whole(), { mode: 0o600 });
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
