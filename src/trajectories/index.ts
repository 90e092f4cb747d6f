export { type CheckTotals, checkLines } from './check/check-lines.ts';
export { compressFile, type CompressionTotals } from './compress/compress-file.ts';
export { DEFAULT_GOAL, type SummaryQuestion } from './compress/compress-line.ts';
export { openTokenizer } from './compress/tokenizer.ts';
export { countToolUse } from './count-tool-use.ts';
export { appendLine, appendWholeLine } from './line-writer.ts';
export { measureLines, newStatistics, type TrajectoryStatistics } from './measure-lines.ts';
export { readOriginals } from './read-originals.ts';
export { toJsonLine } from './spaced-json.ts';
export { namedTemplate, readSystemTemplate, type SystemTemplate, toolsForSystemTurn } from './system-turn.ts';
export { type RecordedMessage, toConversations } from './to-conversations.ts';
export {
  COMPLETED_FILE,
  FAILED_FILE,
  type Trajectory,
  type TrajectoryTurn,
  trajectoryTime,
} from './trajectory.ts';
