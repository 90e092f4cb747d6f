export { createPromptSource, type PromptSourceOptions } from './prompt-source.ts';
