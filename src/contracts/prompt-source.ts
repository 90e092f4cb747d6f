/** Values of `context_files`: use only the first kind of context file that exists, or all kinds. */
export const CONTEXT_FILE_MODES = ['first', 'all'] as const;
export type ContextFileMode = (typeof CONTEXT_FILE_MODES)[number];

/** The input of the system prompt, which is built once per session and stored with it. */
export type PromptContext = {
  model: string;
  provider: string;
  toolNames: readonly string[];
  /** The tools are those that the stored prompt was built for, even if some of them are not available now. */
  keepsTools?: boolean | undefined;
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
