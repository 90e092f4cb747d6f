export { type CheckTotals, checkLines, type Deviation } from './check/check-lines.ts';
export { countToolUse, type ToolUse, type ToolUseCounts } from './count-tool-use.ts';
export { appendLine, createLineWriter, type LineWriter } from './line-writer.ts';
export { readOriginals } from './read-originals.ts';
export { readSystemTemplate, type SystemTemplate } from './system-template.ts';
export {
  type Conversations,
  type ConversationSource,
  type RecordedMessage,
  toConversations,
} from './to-conversations.ts';
export { toolsTold } from './tools-told.ts';
export {
  COMPLETED_FILE,
  FAILED_FILE,
  type Trajectory,
  type TrajectoryRole,
  type TrajectoryTurn,
  trajectoryTime,
} from './trajectory.ts';
