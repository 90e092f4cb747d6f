import type { Cookie, Dialog, Page, Request } from 'playwright-core';
import { shorten } from '../util/index.ts';
import type { BrowserGuard } from './guard.ts';
import type { OpenedContext } from './shared-browser.ts';

/** Limit of notes per call, because a page can trigger any number of them. */
const MAX_NOTES = 10;
/** Limit of dialogs per call; a page that opens more is closed. */
const MAX_DIALOGS = 20;
const MAX_TEXT_LENGTH = 300;
const MAX_MESSAGES = 200;
const MAX_PER_ITEM = 1000;
/** Limit per call: reading the messages of a page that logs endlessly would use up the whole call. */
const MAX_MESSAGES_PER_CALL = 5_000;

/** The pages of one agent: the current one, and what happened to them between calls. */
export interface Tab {
  readonly guard: BrowserGuard;
  readonly log: PageLog;
  /** The current page: the most recently opened one. */
  page(): Page;
  /** The notes since the last call. */
  takeNotes(): string[];
  /** Called at the start of a call. Sets how dialogs of the page are answered. */
  begin(acceptDialogs: boolean): void;
  /** Closes all pages except the current one. */
  closeOthers(): Promise<void>;
  /** Replaces all pages with an empty one. */
  renew(): Promise<void>;
  /** Why the tab cannot be used any more; undefined if it can. */
  whyGone(): string | undefined;
  /** Copies the cookies of another tab, so that logins are kept. */
  takeCookies(from: Tab): Promise<void>;
  cookies(): Promise<Cookie[]>;
  close(): Promise<void>;
}

/** Limit of open pages; a page that opens more is abusive. */
const MAX_PAGES = 5;
const MAX_ADDRESS_LENGTH = 300;

export async function openTab({ context, guard, close }: OpenedContext): Promise<Tab> {
  const state = createTabState();
  const log = createPageLog(() => {
    state.end('The page flooded its console and was closed.');
    // Closes all pages, because it is not always known which one logged.
    for (const page of context.pages()) void closePage(page);
  });
  const dialogs = createDialogs(state);
  const { pages } = state;
  context.on('page', (page) => registerPage(page, state));
  context.on('request', (request) => isPageRequest(request) && guard.visit(request.url()));
  context.on('dialog', dialogs.answer);
  context.on('console', (message) => log.add(message.type(), message.text()));
  context.on('weberror', (error) => log.add('uncaught error', error.error().message));
  await context.newPage();
  return {
    guard,
    log,
    close,
    page: () => pages.at(-1) as Page,
    takeNotes: () => [...state.takeNotes(), ...guard.takeRefusals().map((reason) => `Refused: ${reason}`)],
    begin(acceptDialogs) {
      dialogs.begin(acceptDialogs);
      log.begin();
    },
    async closeOthers() {
      const others = pages.splice(0, pages.length - 1);
      await Promise.all(others.map(closePage));
    },
    async renew() {
      const before = pages.splice(0);
      await context.newPage();
      await Promise.all(before.map(closePage));
    },
    cookies: () => context.cookies(),
    // A cookie that cannot be copied only costs a login.
    takeCookies: async (from) => context.addCookies(await from.cookies()).catch(() => undefined),
    // An exiting browser closes its pages first, so it is checked before the pages.
    whyGone: () => (context.browser()?.isConnected() === false ? 'The browser exited.' : state.whyGone()),
  };
}

/** Whether the request navigates a page itself, not a subresource or a frame. */
function isPageRequest(request: Request): boolean {
  if (!request.isNavigationRequest()) return false;
  try {
    return request.frame().parentFrame() === null;
  } catch {
    // A new page has no frame yet.
    return true;
  }
}

/** Registers a page that we or another page opened. */
function registerPage(page: Page, state: TabState): void {
  const { pages, note } = state;
  if (pages.length >= MAX_PAGES) {
    note('The page opened too many pages; the new pages were closed.');
    void closePage(page);
    return;
  }
  if (pages.length > 0) note('A new page was opened and is now the current page.');
  pages.push(page);
  page.on('close', () => unregisterPage(page, state));
  page.on('crash', () => {
    if (page === pages.at(-1)) state.end('The page crashed.');
  });
  page.on('download', (download) =>
    note(`The page started a download, which was refused: ${shorten(download.url(), MAX_ADDRESS_LENGTH)}`),
  );
}

function unregisterPage(page: Page, { pages, note, end, whyGone }: TabState): void {
  const at = pages.indexOf(page);
  // We closed it ourselves.
  if (at < 0) return;
  pages.splice(at, 1);
  if (pages.length === 0) end('The page closed itself.');
  else if (whyGone() === undefined) note('A page was closed; the previous page is now the current page.');
}

/** Ignores that the page may already be closed. */
async function closePage(page: Page): Promise<void> {
  await page.close().catch(() => undefined);
}

/** The state of a tab between two calls. */
interface TabState {
  /** Open pages; the current one is last. */
  readonly pages: Page[];
  /** Adds a message to the result of the next call. */
  note(text: string): void;
  takeNotes(): string[];
  /** Marks the tab as unusable; the first reason counts. */
  end(reason: string): void;
  whyGone(): string | undefined;
}

function createTabState(): TabState {
  const notes = new Set<string>();
  let gone: string | undefined;
  return {
    pages: [],
    note(text) {
      if (notes.size < MAX_NOTES) notes.add(text);
    },
    takeNotes() {
      const taken = [...notes];
      notes.clear();
      return taken;
    },
    end(reason) {
      gone ??= reason;
    },
    whyGone: () => gone,
  };
}

/** Answers JavaScript dialogs, which no user can see. */
interface Dialogs {
  answer(dialog: Dialog): void;
  /** Whether dialogs are accepted during the call that starts now. */
  begin(accept: boolean): void;
}

function createDialogs({ note, end }: Pick<TabState, 'note' | 'end'>): Dialogs {
  let accepts = false;
  let count = 0;
  return {
    answer(dialog) {
      count += 1;
      const type = dialog.type();
      const asks = type === 'confirm' || type === 'prompt';
      const yes = accepts || !asks;
      const answered = asks ? `; it was ${yes ? 'accepted' : 'dismissed'}` : '';
      // `beforeunload` dialogs are always accepted.
      if (type !== 'beforeunload')
        note(`The page opened a dialog (${type}): ${shorten(dialog.message(), MAX_TEXT_LENGTH)}${answered}.`);
      if (count > MAX_DIALOGS) {
        end('The page opened too many dialogs and was closed.');
        void dialog.page()?.close().catch(ignore);
      }
      void (yes ? dialog.accept(dialog.defaultValue()) : dialog.dismiss()).catch(ignore);
    },
    begin(accept) {
      accepts = accept;
      count = 0;
    },
  };
}

/** Ignores errors of a page that was closed meanwhile. */
function ignore(): void {}

/** The most recent console messages of a page. */
interface PageLog {
  add(kind: string, text: string): void;
  messages(): readonly string[];
  dropped(): number;
  clear(): void;
  /** Resets the counters for the call that begins now. */
  begin(): void;
}

function createPageLog(onFlood: () => void): PageLog {
  const kept: string[] = [];
  let dropped = 0;
  let count = 0;
  return {
    add(kind, text) {
      count += 1;
      if (count === MAX_MESSAGES_PER_CALL) onFlood();
      if (count >= MAX_MESSAGES_PER_CALL) return;
      kept.push(`${kind}: ${shorten(text, MAX_PER_ITEM)}`);
      if (kept.length <= MAX_MESSAGES) return;
      kept.shift();
      dropped += 1;
    },
    messages: () => [...kept],
    dropped: () => dropped,
    clear() {
      kept.length = 0;
      dropped = 0;
    },
    begin() {
      count = 0;
    },
  };
}
