export { createPruningEngine } from './pruning-engine.ts';
