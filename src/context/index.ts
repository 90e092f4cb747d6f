export { createPruningEngine } from './pruning-engine.ts';
export { createRemovedMessages } from './removed-messages.ts';
