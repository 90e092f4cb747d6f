import type { JsonObject } from '../base/index.ts';
import type { ToolOutcome } from './tool.ts';

export type ToolHookCall = {
  callId: string;
  toolName: string;
  args: JsonObject;
  sessionId: string;
  taskId: string;
  /** Only reads: nothing can be different afterwards. */
  readOnly: boolean;
  /** Aborted when the turn is interrupted. */
  signal: AbortSignal;
};

/** Code of others that is called around the steps of a turn. A hook that throws is logged and otherwise ignored. */
export type Hooks = {
  name: string;
  /** May stop a call, with a reason that the model reads. */
  preToolCall?(call: ToolHookCall): Promise<{ block: string } | undefined>;
  postToolCall?(call: ToolHookCall, outcome: ToolOutcome): Promise<void>;
  /** May replace what the model reads. */
  transformToolResult?(call: ToolHookCall, content: string): Promise<string | undefined>;
};
