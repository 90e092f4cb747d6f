import { systemClock } from '../../../base/index.ts';
import type { HeldLease, SessionStore } from '../../../contracts/index.ts';
import { describeHolder, findHolder, followMessages, waitUntilFree } from '../../../runtime/index.ts';
import { formatMessage } from '../sessions/format-message.ts';
import { startOfTurn } from '../sessions/watch.ts';
import { type Style, printable } from '../style.ts';
import type { ChatTerminal } from './chat-terminal.ts';

/** The session became free, or the user chose to branch, to go back to the input line, or to leave the chat. */
export type BusyOutcome = 'free' | 'branch' | 'back' | 'leave';

/** Asks what to do about a session that another process holds, and waits for or watches it until the user stops. */
export interface BusyDialog {
  /** While the dialog is open, it receives typed lines and Ctrl-C. */
  isOpen(): boolean;
  handleLine(text: string): void;
  interrupt(): void;
  close(): void;
  ask(sessionId: string): Promise<BusyOutcome>;
  wait(sessionId: string): Promise<'free' | 'stopped'>;
}

type Parts = {
  store: SessionStore;
  terminal: ChatTerminal;
  /** Stores a line that is typed while the dialog has no open question, so that the line is not lost. */
  queueLine(text: string): void;
};

const SECOND_MS = 1000;

export function createBusyDialog(parts: Parts): BusyDialog {
  const input = createInputRouter(parts.queueLine);
  const wait = (sessionId: string) => input.stoppable((signal) => waitWithProgress(parts, sessionId, signal));

  async function ask(sessionId: string): Promise<BusyOutcome> {
    for (let watched = false; ; ) {
      const holder = await findHolder(parts.store, sessionId);
      if (holder === undefined && !watched) return 'free';
      const answer = await input.stoppable((signal) => askOnce(parts, input, { sessionId, holder, signal }));
      if (answer === 'wait' && (await wait(sessionId)) === 'free') return 'free';
      if (answer === 'go on') return 'free';
      if (answer === 'branch' || answer === 'leave' || answer === 'back') return answer;
      watched ||= answer === 'watch';
      if (answer === 'watch') await input.stoppable((signal) => watch(parts, sessionId, signal));
    }
  }

  return { isOpen: input.isOpen, handleLine: input.takeLine, interrupt: input.stop, close: input.close, ask, wait };
}

type InputRouter = ReturnType<typeof createInputRouter>;

/** Routes typed lines and Ctrl-C to the part of the dialog that is active. */
function createInputRouter(keep: (text: string) => void) {
  let [depth, closed] = [0, false];
  let onLine = keep;
  let stop = () => {};
  return {
    isOpen: () => depth > 0,
    takeLine: (text: string) => onLine(text),
    stop: () => stop(),
    close() {
      closed = true;
      stop();
    },
    listen(listener: (text: string) => void) {
      onLine = listener;
    },
    /** Runs a part of the dialog that Ctrl-C aborts. */
    async stoppable<Value>(run: (signal: AbortSignal) => Promise<Value>): Promise<Value> {
      const stopping = new AbortController();
      stop = () => stopping.abort();
      depth += 1;
      if (closed) stopping.abort();
      try {
        return await run(stopping.signal);
      } finally {
        depth -= 1;
        onLine = keep;
        stop = () => undefined;
      }
    },
  };
}

type BusyQuestion = { sessionId: string; holder: HeldLease | undefined; signal: AbortSignal };

function askOnce(
  parts: Parts,
  input: InputRouter,
  { sessionId, holder, signal }: BusyQuestion,
): Promise<BusyAnswer | 'back'> {
  const { text, prompt } = formatBusyQuestion(sessionId, holder, parts.terminal.style);
  // Text that is already in the input line was not typed as an answer to this question.
  parts.terminal.clearInput();
  parts.terminal.breakLine();
  parts.terminal.print(text);
  parts.terminal.prompt(prompt);
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve('back'), { once: true });
    if (signal.aborted) resolve('back');
    input.listen((line) => {
      const answer = parseBusyAnswer(line, holder !== undefined);
      if (answer === undefined) parts.terminal.prompt(prompt);
      else resolve(answer);
    });
  });
}

async function waitWithProgress(parts: Parts, sessionId: string, signal: AbortSignal): Promise<'free' | 'stopped'> {
  const done = new AbortController();
  const ticking = showWaiting(parts.terminal, AbortSignal.any([done.signal, signal]));
  try {
    await waitUntilFree({ store: parts.store, clock: systemClock }, sessionId, signal);
    return 'free';
  } catch (thrown) {
    if (signal.aborted) return 'stopped';
    throw thrown;
  } finally {
    done.abort();
    await ticking;
    parts.terminal.prompt('');
    parts.terminal.breakLine();
  }
}

async function showWaiting(terminal: ChatTerminal, signal: AbortSignal): Promise<void> {
  for (let seconds = 0; !signal.aborted; seconds += 1) {
    terminal.prompt(`… waiting for the session (${seconds} s); press Ctrl-C to stop waiting `);
    await systemClock.sleep(SECOND_MS, signal).catch(() => undefined);
  }
}

/** Prints messages from the start of the running turn until it ends or the user presses Ctrl-C. */
async function watch({ store, terminal }: Parts, sessionId: string, signal: AbortSignal): Promise<void> {
  terminal.prompt('');
  terminal.print(terminal.style.dim('Watching the running turn. Press Ctrl-C to stop.\n'));
  const after = await startOfTurn(store, sessionId, true);
  for await (const stored of followMessages({ store, clock: systemClock }, sessionId, { after, signal })) {
    terminal.print(formatMessage(stored, terminal.style));
  }
}

type BusyAnswer = 'wait' | 'watch' | 'branch' | 'go on' | 'leave';

const HELD_CHOICES: readonly [BusyAnswer, string][] = [
  ['wait', 'wait until the running turn has ended'],
  ['watch', 'follow the running turn'],
  ['branch', 'continue in a new session that starts with the same messages'],
  ['leave', 'leave the chat'],
];
const FREE_CHOICES: readonly [BusyAnswer, string][] = [
  ['go on', 'continue this session'],
  ['branch', 'continue in a new session that starts with the same messages'],
  ['leave', 'leave the chat'],
];

/** Formats the choices for a session that another process holds, or held until just now. */
export function formatBusyQuestion(
  sessionId: string,
  holder: HeldLease | undefined,
  style: Style,
): { text: string; prompt: string } {
  const choices = holder === undefined ? FREE_CHOICES : HELD_CHOICES;
  const what = holder === undefined ? `Session ${sessionId} is free now.` : describeHolder(sessionId, holder);
  const rows = choices.map(([name, about], index) => `  ${index + 1}. ${name}: ${about}\n`);
  return { text: `${style.yellow(`! ${printable(what)}`)}\n${rows.join('')}`, prompt: `1-${choices.length} › ` };
}

/** Parses a number, a choice or an unambiguous prefix of one; undefined for anything else. */
export function parseBusyAnswer(line: string, isHeld: boolean): BusyAnswer | undefined {
  const names = (isHeld ? HELD_CHOICES : FREE_CHOICES).map(([name]) => name);
  const typed = line.trim().toLowerCase();
  if (typed === '') return undefined;
  if (/^\d$/.test(typed)) return names[Number(typed) - 1];
  const fitting = names.filter((name) => name.startsWith(typed));
  return fitting.length === 1 ? fitting[0] : undefined;
}
