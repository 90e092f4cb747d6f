/** One thing that could be meant, with a few words about it. */
export type Completion = { value: string; about?: string };

/** What a chat knows about that can be typed. Each is asked only when somebody types something like it. */
export interface Completions {
  /** Slash commands and skills, without the slash. */
  commands(): Promise<readonly Completion[]>;
  /** What may follow a command. */
  argumentsOf(command: string): Promise<readonly Completion[]>;
}
