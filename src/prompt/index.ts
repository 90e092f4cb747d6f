export { findHostNotes } from './host-notes.ts';
export { PERSONALITIES, personalityLayer } from './layers.ts';
export { appendedLayer, type PromptAdditions, readAdditions, withoutHeading } from './prompt-additions.ts';
export { createDirectoryHints } from './project/directory-hints.ts';
export { INSTRUCTIONS_FILE, initPrompt } from './project/init-prompt.ts';
export {
  createPromptSource,
  type LayeredPromptSource,
  type PromptLayer,
  type PromptSourceOptions,
} from './prompt-source.ts';
export { statLocalFile } from './soul.ts';
