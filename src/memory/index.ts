export { createMemoryFiles, type MemoryFiles } from './memory-files.ts';
export { entriesOf, measureEntries } from './memory-text.ts';
export { decodeMemory, findChangeBlocker } from './read-memory-file.ts';
export { takeSnapshot } from './snapshot.ts';
export { createMemoryFlush } from './flush.ts';
export { createMemoryProvider, type MemoryProviderFactories } from './providers/create-provider.ts';
export { createProviderMemory, type ProviderMemory } from './turn-memory.ts';
