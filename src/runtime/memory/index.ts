export { checkMemoryText } from './check-memory-text.ts';
export {
  type MemoryReport,
  openMemoryFiles,
  type ProviderReport,
  reportMemories,
  reportProvider,
} from './memory-report.ts';
