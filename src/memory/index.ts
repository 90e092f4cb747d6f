export { createMemoryFiles, MEMORY_FILE_NAMES, type MemoryFiles, type MemoryFilesOptions } from './memory-files.ts';
export { entriesOf, measureEntries } from './memory-text.ts';
export { type MemoryFile, whyNotChanged } from './read-memory-file.ts';
export { takeSnapshot } from './snapshot.ts';
