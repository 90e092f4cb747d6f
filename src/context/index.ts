export { createContextEngine } from './create-context-engine.ts';
export { createTokenMeter } from './meter/token-meter.ts';
export { createPruningEngine } from './pruning-engine.ts';
export { createRemovedMessages } from './removed-messages.ts';
