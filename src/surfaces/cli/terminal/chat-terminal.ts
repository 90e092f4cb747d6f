import type { InteractionAnswer, InteractionRequest } from '../../../base/index.ts';
import type { Settings } from '../../../config/index.ts';
import type { StoredMessage } from '../../../contracts/index.ts';
import type { SessionMode } from '../../../runtime/index.ts';
import type { CliIo } from '../cli-io.ts';
import type { EventView } from '../output/event-view.ts';
import type { Job, PickRequest, Verbosity } from '../../slash/index.ts';
import type { Report } from '../report-error.ts';
import type { Style } from '../style.ts';
import type { Completions } from './completions.ts';

/** Called when the user does something in the terminal. */
export type ChatTerminalHandlers = {
  /** One line, or several that were typed or pasted together. With `queue`, the text waits for the end of the turn. */
  onLines(text: string, how?: 'queue'): void;
  /** Ctrl-C. `typed` is the content of the input line, which is cleared. */
  onInterrupt(typed: string): void;
  /** Esc: stops the running turn or dialog. */
  onStop(): void;
  /** The answer to the question that `ask` displayed. */
  onAnswer(answer: InteractionAnswer): void;
  /** Removes the newest queued line and returns it for editing. */
  onEditQueued(): string | undefined;
  /**
   * The path of an attachable file was pasted or dropped. Returns false if there is no such file; the paste is then
   * treated as text.
   */
  onFileDropped(path: string): Promise<boolean>;
  /** Attaches the image in the clipboard. `quietly`: says nothing if there is none. */
  onPasteImage(quietly: boolean): void;
  /** Ctrl-D, or the terminal was closed. */
  onEnd(): void;
};

/** Display settings of a turn that its events do not contain. */
export type TurnDisplayOptions = {
  /** The context window of the model, in tokens. */
  contextLength(): Promise<number | undefined>;
  verbosity(): Verbosity;
};

/** `session`: all figures, because another session was opened. `context`: only the fill level of the context window. */
export type FigureScope = 'session' | 'context';

/**
 * The terminal of a chat: plain lines, or the screen with a live part. The chat is the same on both; they differ only
 * in what they display and in their keys.
 */
export interface ChatTerminal {
  readonly style: Style;
  /** True if output can be printed at any time, because the input line is drawn separately. */
  readonly hasLivePart: boolean;
  /** Input and output for slash commands; its stdout is this terminal. */
  readonly io: CliIo;
  /** Prints finished text, including its line breaks. */
  print(text: string): void;
  /** Prints a complete answer, rendered as Markdown where the terminal supports it. */
  printAnswer(markdown: string): void;
  /** Prints stored messages like the turns in which they were written. */
  printConversation(messages: readonly StoredMessage[]): Promise<void>;
  report(report: Report): void;
  /** Shows the prompt and waits for a line. `givenBack` is put into the input line first. */
  prompt(text: string, givenBack?: string): void;
  /** Clears text that was typed but not sent, so that it does not become the answer to a new question. */
  clearInput(): void;
  /** Ends the line that is being typed if output would be printed into it. */
  breakLine(): void;
  /** Prints a typed line when it is processed, which can be long after it was typed. */
  echo(text: string): void;
  /** A line was passed to the running turn; the model reads it at its next step. */
  showSteered(text: string): void;
  /** Shows the lines that wait for the end of the turn, oldest first. */
  showQueued(lines: readonly string[]): void;
  /** Shows the running processes and background turns. */
  showJobs(running: readonly Pick<Job, 'id' | 'title' | 'startedAt'>[]): void;
  /** Shows the mode of the session from now on; it may change at any time. */
  showMode(mode: () => SessionMode): void;
  /** Displays a turn while it runs. */
  beginTurn(facts: TurnDisplayOptions): EventView;
  /** Displays other interruptible work, such as compression. */
  beginWork(activity: string): void;
  /** The turn or the other work has ended, for whatever reason. */
  endTurn(): void;
  /** Resets outdated figures; the next response brings new ones. */
  resetFigures(what: FigureScope): void;
  /** Changes the theme of everything that is drawn from now on. Absent in plain mode. */
  setTheme?(name: Settings['display']['theme']): void;
  /** Lets the user select from a list; undefined if the user cancelled. Absent in plain mode, which redraws nothing. */
  pick?(request: PickRequest): Promise<string | undefined>;
  /** Closes the open list, if there is one, without a selection. */
  cancelPick(): void;
  /** Shows an approval or clarify request; `again` if the typed line was not a valid answer. */
  ask(request: InteractionRequest, again?: boolean): void;
  /** Removes the question; `unanswered` if it closed without an answer. */
  closeQuestion(request: InteractionRequest, unanswered: boolean): void;
  /** Sets the source of completions. */
  setCompletions(completions: Completions): void;
  close(): void;
}
