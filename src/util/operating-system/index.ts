export * from './facts.ts';
export * from './open-file.ts';
export * from './process-identity.ts';
export { readProcesses, type ProcessEntry, type ProcessList } from './process-list.ts';
