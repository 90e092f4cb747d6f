/** What the system prompt is made of; it is built once per session and stored with it. */
export type PromptContext = {
  model: string;
  provider: string;
  toolNames: readonly string[];
  /** One layer of the prompt, not a replacement of it. */
  systemMessage: string | undefined;
  now: number;
};

export interface PromptSource {
  build(context: PromptContext): Promise<string>;
}
