export { createPromptSource } from './prompt-source.ts';
