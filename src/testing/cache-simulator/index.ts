export * from './cache-simulator.ts';
export { leastUsage, type PricedCall } from './least-usage.ts';
export * from './prices.ts';
export type { Prompt, PromptBlock, PromptPart } from './prompt.ts';
