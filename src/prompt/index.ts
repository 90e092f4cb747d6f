export { createDirectoryHints } from './project/directory-hints.ts';
export { findHostNotes } from './host-notes.ts';
export { createPromptSource, type PromptLayer } from './prompt-source.ts';
export { statHere } from './soul.ts';
