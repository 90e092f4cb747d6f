import type { InteractionAnswer, InteractionRequest } from '../../../base/index.ts';
import type { CliIo } from '../cli-io.ts';
import type { EventView } from '../output/event-view.ts';
import type { Verbosity } from '../../slash/index.ts';
import type { Report } from '../report-error.ts';
import type { Style } from '../style.ts';
import type { Completions } from './completions.ts';

/** What a person does at a terminal. */
export type ChatTerminalHandlers = {
  /** A line, or several that were typed or pasted together; `queue` where it is to wait for the end of the turn. */
  onLines(text: string, how?: 'queue'): void;
  /** Ctrl-C; `typed` is what stood in the line and is cleared. */
  onInterrupt(typed: string): void;
  /** Esc: what runs is to stop. */
  onStop(): void;
  /** The answer to what `ask` has asked. */
  onAnswer(answer: InteractionAnswer): void;
  /** Takes the newest of the lines that wait out again, to be edited. */
  onTakeBack(): string | undefined;
  /** A path of a file that can be attached was pasted or dropped; false where there is none, and it is text. */
  onFile(path: string): Promise<boolean>;
  /** Ctrl-D, or the terminal went away. */
  onEnd(): void;
};

/** What is known of a turn beside its events. */
export type TurnFacts = {
  /** How many tokens the model reads at once. */
  contextLength(): Promise<number | undefined>;
  /** How much of it is shown. */
  verbosity(): Verbosity;
};

/** All that was taken, where another session is open; or only how full the window is, where less is in it than before. */
export type ForgottenFigures = 'session' | 'context';

/**
 * Where a chat is held: as plain lines, or on the screen with a live part. The chat is the same; only what is seen and
 * which keys there are is different.
 */
export interface ChatTerminal {
  readonly style: Style;
  /** Output may come at any time, because what is typed has a place of its own. */
  readonly hasLivePart: boolean;
  /** What slash commands write to and read about; its standard output is this terminal. */
  readonly io: CliIo;
  /** Finished text, with its line breaks. */
  print(text: string): void;
  report(report: Report): void;
  /** Shows the text before the cursor and waits for a line, into which what is given back is typed already. */
  prompt(text: string, givenBack?: string): void;
  /** Forgets what was typed and not sent, so that it does not become the answer to a question that comes now. */
  clearTyped(): void;
  /** Ends the line that is being typed, where output would run into it. */
  breakLine(): void;
  /** A line begins to be handled, which may be long after it was typed. */
  echo(text: string): void;
  /** A line was handed to the turn; the model reads it at its next step. */
  noteSteered(text: string): void;
  /** The lines that wait for the turn to end, oldest first. */
  showWaiting(lines: readonly string[]): void;
  /** Shows a turn as it happens, until it is finished. */
  beginTurn(facts: TurnFacts): EventView;
  /** Something else than a turn runs from now on, which can be interrupted. */
  beginWork(activity: string): void;
  /** Nothing runs any more, however it ended. */
  endTurn(): void;
  /** Figures that hold no more; the next answer brings new ones. */
  forgetFigures(what: ForgottenFigures): void;
  /** Asks for an approval, or what the model wants to know; `again` where what was typed is no answer. */
  ask(request: InteractionRequest, again?: boolean): void;
  /** The question is over; `unanswered` where nobody has answered it. */
  closeQuestion(request: InteractionRequest, unanswered: boolean): void;
  /** What can be completed while typing. */
  setCompletions(completions: Completions): void;
  close(): void;
}
