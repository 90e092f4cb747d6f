export * from './cache-simulator.ts';
export * from './prices.ts';
export type { Prompt, PromptBlock, PromptPart } from './prompt.ts';
