/** A browser as one agent has it: with a context of its own, in which nothing of other agents is. */
export interface AgentBrowser {
  /** Does something in the page that is open, and looks at what came of it. */
  act(action: BrowserAction, call: BrowserCall): Promise<PageView>;
  /** The images of the page. */
  images(call: BrowserCall): Promise<readonly PageImage[]>;
  /** What the page wrote to its console; with an expression what that comes to, in the page. */
  console(asked: ConsoleQuestion, call: BrowserCall): Promise<ConsoleView>;
  /** The visible part of the page as an image; `annotate` draws the refs of what can be used into it. */
  screenshot(asked: { annotate: boolean }, call: BrowserCall): Promise<PageImageFile>;
  /** Lets go of everything. What is asked afterwards begins anew. */
  close(): Promise<void>;
}

export type BrowserCall = { signal: AbortSignal };

export type BrowserAction =
  | { type: 'navigate'; url: string }
  | { type: 'look' }
  /** Where a question opens, it is answered with yes or no. */
  | { type: 'click'; ref: string; acceptDialog: boolean }
  | { type: 'type'; ref: string; text: string }
  | { type: 'scroll'; direction: 'up' | 'down' }
  | { type: 'back' }
  | { type: 'press'; key: string };

/** A page after an action. Everything but the notes was written by others, and also those quote it. */
export type PageView = {
  title: string;
  url: string;
  /** What happened beside: dialogs, further pages, what was refused, a browser that had to be started anew. */
  notes: readonly string[];
  /** What is on it, with a ref for whatever can be used. */
  snapshot: string;
};

export type PageImage = { url: string; text: string; width: number; height: number };

export type ConsoleQuestion = { expression: string | undefined; clear: boolean };

export type ConsoleView = {
  /** Newest last. */
  messages: readonly string[];
  /** So many older ones are no longer there. */
  dropped: number;
  /** What the expression came to, as text; absent without one. */
  value?: string;
};

export type PageImageFile = { image: Uint8Array; mediaType: string; url: string; title: string };
