/** What the system prompt is made of; it is built once per session and stored with it. */
export type PromptContext = {
  model: string;
  provider: string;
  toolNames: readonly string[];
  /** One layer of the prompt, not a replacement of it. */
  systemMessage: string | undefined;
  now: number;
  sessionId?: string;
  /** Is told what the person should know, such as that a file was left out. */
  warn?(message: string): void;
};

export interface PromptSource {
  build(context: PromptContext): Promise<string>;
  /** Whether a prompt that was built earlier does not fit the tools there are now. */
  isForOtherTools?(prompt: string, toolNames: readonly string[]): boolean;
}
