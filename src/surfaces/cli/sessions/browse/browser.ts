import type { SessionStore } from '../../../../contracts/index.ts';
import type { CliIo } from '../../cli-io.ts';
import { describeError } from '../../report-error.ts';
import { createStyle } from '../../style.ts';
import { createFooter } from './footer.ts';
import { openFullScreen } from './full-screen.ts';
import { type Key, listenForKeys } from './keys.ts';
import { createListView } from './list-view.ts';
import { findRows, listRows, type SessionRow } from './session-rows.ts';
import { createActions } from './session-actions.ts';
import { createSessionView } from './session-view.ts';
import type { View } from './view.ts';

/** How the person left: with a session to go on with, or just so. */
export type BrowseEnd = { resume?: string };

export type BrowserOptions = { store: SessionStore; io: CliIo; source: string | undefined };

/** A list of sessions, and from it a session, on the whole terminal, until the person leaves. */
export async function runBrowser(options: BrowserOptions): Promise<BrowseEnd> {
  const end = Promise.withResolvers<BrowseEnd>();
  const browser = createBrowser(options, end.resolve);
  const screen = openFullScreen(options.io, () => draw());
  const style = createStyle(options.io.stdout, options.io.env);
  const draw = () => screen.draw(browser.render(screen.columns, screen.rows, style));
  browser.onChange(draw);
  // One key at a time: what it starts is done before the next one counts.
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

function createBrowser({ store, io, source }: BrowserOptions, leave: (end: BrowseEnd) => void) {
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
    if (session === undefined) return footer.say('This session has been deleted meanwhile.');
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
