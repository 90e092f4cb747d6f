export { createPromptSource, type PromptLayer } from './prompt-source.ts';
