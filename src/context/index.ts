export { createRemovedMessages } from './removed-messages.ts';
export { BUILT_IN_ENGINES, createContextEngine } from './create-context-engine.ts';
export { createTokenMeter } from './meter/token-meter.ts';
