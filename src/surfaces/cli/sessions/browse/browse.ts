import { resolve } from 'node:path';
import { ConfigurationError } from '../../../../base/index.ts';
import type { SessionRecord, SessionStore } from '../../../../contracts/index.ts';
import { sanitiseTitle } from '../../../../store/index.ts';
import type { ListOptions } from '../../../text/session-lines.ts';
import { findRows, listRows, type SessionRow } from '../../../text/session-rows.ts';
import { DEFAULT_CHAT_OPTIONS } from '../../chat-options.ts';
import { type CliIo, isTerminal } from '../../cli-io.ts';
import type { CliRun } from '../../cli-run.ts';
import { describeError } from '../../report-error.ts';
import { createStyle } from '../../style.ts';
import { exportToFile } from '../export/export.ts';
import { listSessions } from '../list.ts';
import { withStore } from '../with-store.ts';
import { createFooter, type Footer, type Key, listenForKeys, type View } from './view.ts';
import { createListView } from './list-view.ts';
import { createSessionView, type SessionActions } from './session-view.ts';

export type BrowseOptions = ListOptions & { json?: boolean };

/** Browses sessions in a terminal. Resuming one starts a chat. */
export async function browseSessions(options: BrowseOptions, io: CliIo, run: CliRun): Promise<number> {
  if (options.json) return listSessions(options, io);
  if (!isTerminal(io)) {
    throw new ConfigurationError('`hermes sessions browse` needs a terminal.', {
      hint: 'Use `hermes sessions list` and `hermes sessions show`, or add --json.',
    });
  }
  const { resume } = await withStore(io, (store) => runBrowser({ store, io, source: options.source }));
  if (resume === undefined) return 0;
  const { chat } = await import('../../chat.ts');
  return chat({ ...DEFAULT_CHAT_OPTIONS, resume }, run);
}

/** The session to resume, if the user chose one. */
type BrowseResult = { resume?: string };

type BrowserOptions = { store: SessionStore; io: CliIo; source: string | undefined };

/** Shows the session list and single sessions on the full screen until the user leaves. */
async function runBrowser(options: BrowserOptions): Promise<BrowseResult> {
  const end = Promise.withResolvers<BrowseResult>();
  const browser = createBrowser(options, end.resolve);
  const screen = openFullScreen(options.io, () => draw());
  const style = createStyle(options.io.stdout, options.io.env);
  const draw = () => screen.draw(browser.render(screen.columns, screen.rows, style));
  browser.onChange(draw);
  // Keys are handled one at a time, each after the previous one has finished.
  let pressed = Promise.resolve();
  const stopListening = listenForKeys(options.io, (key) => {
    if (key.name === 'interrupt') return end.resolve({});
    pressed = pressed.then(() => browser.press(key, screen.rows)).then(draw);
    return undefined;
  });
  try {
    draw();
    await browser.start();
    return await end.promise;
  } finally {
    stopListening();
    screen.close();
  }
}

function createBrowser({ store, io, source }: BrowserOptions, leave: (end: BrowseResult) => void) {
  const footer = createFooter();
  let changed = () => {};
  const failed = (thrown: unknown) => {
    const { message, hint } = describeError(thrown);
    footer.say(hint === undefined ? message : `${message} ${hint}`);
    changed();
  };
  const list = createListView({
    load: (query, offset) => (query.trim() === '' ? listRows(store, source, offset) : findRows(store, source, query)),
    open: (row) => openSession(row.id, row),
    leave: () => leave({}),
    changed: () => changed(),
    failed,
  });
  let view: View = list;
  const showList = async () => {
    view = list;
    await list.reload();
  };

  async function openSession(id: string, row?: SessionRow): Promise<void> {
    const [session, messages] = await Promise.all([store.getSession(id), store.getMessages(id)]);
    if (session === undefined) return footer.say('This session has been deleted in the meantime.');
    view = createSessionView(session, messages, {
      ...createActions({ store, io, footer, session, showAgain: () => openSession(id), showList }),
      resume: () => leave({ resume: id }),
      back: () => void showList().catch(failed),
      showMessage: row?.messageId,
    });
  }

  return {
    start: () => list.reload().catch(failed),
    onChange(listener: () => void) {
      changed = listener;
    },
    async press(key: Key, rows: number) {
      footer.quiet();
      await Promise.resolve(footer.isAsking() ? footer.press(key) : view.press(key, rows)).catch(failed);
    },
    render(columns: number, rows: number, style: ReturnType<typeof createStyle>): string[] {
      const last = footer.render(view.help(), columns, style).slice(0, Math.max(1, rows - 1));
      const room = Math.max(1, rows - last.length);
      const body = view.render({ columns, rows: room, style }).slice(0, room);
      return [...body, ...Array.from({ length: room - body.length }, () => ''), ...last].slice(-rows);
    },
  };
}

type ActionOptions = {
  store: SessionStore;
  io: CliIo;
  footer: Footer;
  session: SessionRecord;
  showAgain(): Promise<void>;
  showList(): Promise<void>;
};

/** The actions for the displayed session; their questions appear in the footer. */
function createActions(options: ActionOptions): Pick<SessionActions, 'exportIt' | 'rename' | 'remove'> {
  const { store, io, footer, session, showAgain, showList } = options;
  return {
    exportIt: () =>
      footer.ask('Export to (.md, .html, .jsonl)', `${session.id}.md`, async (name) => {
        const file = resolve(io.workingDirectory, name.trim());
        await exportToFile(store, session.id, file);
        footer.say(`Wrote ${file}.`);
      }),
    rename: () =>
      footer.ask('Title', session.title ?? '', async (text) => {
        await store.setSessionTitle(session.id, sanitiseTitle(text));
        await showAgain();
      }),
    remove: () =>
      footer.confirm(`Permanently delete "${session.title ?? session.id}"?`, async () => {
        await store.deleteSession(session.id);
        await showList();
        footer.say('The session was deleted.');
      }),
  };
}

/** The full terminal as a list of lines. The previous content is restored at the end. */
interface FullScreen {
  readonly columns: number;
  readonly rows: number;
  draw(lines: readonly string[]): void;
  close(): void;
}

// Alternate screen, hidden cursor, no line wrapping.
const OPEN = '\u001b[?1049h\u001b[?25l\u001b[?7l';
const CLOSE = '\u001b[?7h\u001b[?25h\u001b[?1049l';

function openFullScreen({ stdout }: CliIo, onResize: () => void): FullScreen {
  const size = stdout as { columns?: number; rows?: number };
  let isOpen = true;
  let shown = '';
  const close = () => {
    if (!isOpen) return;
    isOpen = false;
    stdout.write(CLOSE);
    stdout.off('resize', onResize);
    process.off('exit', close);
  };
  // Also runs when a signal or an error ends the process, so that the terminal is restored.
  process.on('exit', close);
  stdout.on('resize', onResize);
  stdout.write(OPEN);
  return {
    get columns() {
      return size.columns ?? 80;
    },
    get rows() {
      return size.rows ?? 24;
    },
    draw(lines) {
      // Each line is cleared before it is written: clearing after a full line would erase its last character.
      const frame = `\u001b[H${lines.map((line) => `\u001b[2K${line}`).join('\r\n')}`;
      if (isOpen && frame !== shown) stdout.write(frame);
      shown = frame;
    },
    close,
  };
}
