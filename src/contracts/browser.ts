/** The browser of one agent, with its own browser context that other agents cannot see. */
export interface AgentBrowser {
  /** Performs an action in the open page and returns the resulting page. */
  act(action: BrowserAction, call: BrowserCall): Promise<PageView>;
  /** The images of the page. */
  images(call: BrowserCall): Promise<readonly PageImage[]>;
  /** Console messages of the page, and the value of the expression if there is one. */
  console(asked: ConsoleRequest, call: BrowserCall): Promise<ConsoleView>;
  /** A screenshot of the visible part of the page; `annotate` draws the element refs into it. */
  screenshot(asked: { annotate: boolean }, call: BrowserCall): Promise<PageImageFile>;
  /** Closes the browser context. A later call opens a new one. */
  close(): Promise<void>;
}

export type BrowserCall = { signal: AbortSignal };

export type BrowserAction =
  | { type: 'navigate'; url: string }
  | { type: 'look' }
  /** `acceptDialog` answers a dialog that the click opens. */
  | { type: 'click'; ref: string; acceptDialog: boolean }
  | { type: 'type'; ref: string; text: string }
  | { type: 'scroll'; direction: 'up' | 'down' }
  | { type: 'back' }
  | { type: 'press'; key: string };

/** A page after an action. All fields are untrusted text, including `notes`, which may quote the page. */
export type PageView = {
  title: string;
  url: string;
  /** Side effects: dialogs, new tabs, blocked requests, a restarted browser. */
  notes: readonly string[];
  /** The page snapshot, with a ref for each interactive element. */
  snapshot: string;
};

export type PageImage = { url: string; text: string; width: number; height: number };

export type ConsoleRequest = { expression: string | undefined; clear: boolean };

export type ConsoleView = {
  /** Newest last. */
  messages: readonly string[];
  /** Number of older messages that were dropped. */
  dropped: number;
  /** The value of the expression as text; absent without one. */
  value?: string;
};

export type PageImageFile = { image: Uint8Array; mediaType: string; url: string; title: string };
