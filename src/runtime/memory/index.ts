export {
  checkMemoryText,
  type MemoryReport,
  openMemoryFiles,
  type ProviderReport,
  reportMemories,
  reportProvider,
} from './memory-report.ts';
