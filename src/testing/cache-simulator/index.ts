export * from './cache-simulator.ts';
export { type Forwarded, forwardMarkers, type GatewayRules, type MarkerHandling } from './gateway.ts';
export * from './prices.ts';
export type { Prompt, PromptBlock, PromptPart } from './prompt.ts';
