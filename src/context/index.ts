export { createRemovedMessages } from './removed-messages.ts';
export { createContextEngine } from './create-context-engine.ts';
export { createTokenMeter } from './meter/token-meter.ts';
