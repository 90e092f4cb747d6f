import type { Completion } from '../../slash/index.ts';

/** What a chat knows about that can be typed. Each is asked only when somebody types something like it. */
export interface Completions {
  /** Slash commands and skills, without the slash. */
  commands(): Promise<readonly Completion[]>;
  /** What could be meant by the argument of a command as it is typed so far. */
  argumentsOf(command: string, typed: string): Promise<readonly Completion[]>;
}
