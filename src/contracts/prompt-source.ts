/** The input of the system prompt, which is built once per session and stored with it. */
export type PromptContext = {
  model: string;
  provider: string;
  toolNames: readonly string[];
  /** An additional layer of the prompt; it does not replace the prompt. */
  systemMessage: string | undefined;
  now: number;
  sessionId?: string;
  /** Called with warnings for the user, for example that a file was omitted. */
  warn?(message: string): void;
};

export interface PromptSource {
  build(context: PromptContext): Promise<string>;
  /** Whether an earlier prompt was built for other tools than these. */
  isForOtherTools?(prompt: string, toolNames: readonly string[]): boolean;
}
