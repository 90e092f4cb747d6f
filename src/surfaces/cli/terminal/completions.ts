/** One thing that could be meant, with a few words about it. */
export type Completion = { value: string; about?: string };

/** What a chat knows about that can be typed. Each is asked only when somebody types something like it. */
export interface Completions {
  /** Slash commands and skills, without the slash. */
  commands(): Promise<readonly Completion[]>;
  /** What could be meant by the argument of a command as it is typed so far. */
  argumentsOf(command: string, typed: string): Promise<readonly Completion[]>;
}
