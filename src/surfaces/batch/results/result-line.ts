import type { JsonObject, JsonValue, RunResult } from '../../../base/index.ts';
import {
  countToolUse,
  type RecordedMessage,
  toJsonLine,
  type TrajectoryTurn,
  trajectoryTime,
} from '../../../trajectories/index.ts';
import type { RunManifest } from '../folder/run-folder.ts';

/** The result of a prompt. Samples without reasoning are dropped, because they would teach a model not to reason. */
export type PromptResult =
  | { kind: 'kept'; index: number; line: string }
  | { kind: 'dropped' | 'failed'; index: number; record: JsonObject };

/** The metadata keys that the run itself writes. */
export const OWN_METADATA: readonly string[] = ['batch_num', 'timestamp', 'model'];

type Sample = {
  index: number;
  metadata: JsonObject;
  conversations: readonly TrajectoryTurn[];
  messages: readonly RecordedMessage[];
  toolsets: readonly string[];
  result: RunResult;
  now: number;
};

/** The number of the part file of a prompt. It depends only on the index, so it is the same after every resume. */
export function partOf(index: number, { partSize }: Pick<RunManifest, 'partSize'>): number {
  return Math.floor(index / partSize) + 1;
}

/** Formats a sample as one line. All lines of a run have the same fields in the same order. */
export function writeResultLine(sample: Sample, manifest: RunManifest): string {
  const { index, conversations, messages, toolsets, result } = sample;
  const { toolStats, toolErrorCounts } = countToolUse(messages, manifest.tools);
  return toJsonLine({
    prompt_index: index,
    conversations,
    metadata: metadataOf(sample, manifest),
    completed: result.completed,
    partial: result.partial,
    api_calls: result.apiCalls,
    toolsets_used: toolsets,
    tool_stats: toolStats,
    tool_error_counts: toolErrorCounts,
  });
}

function metadataOf({ index, metadata, result, now }: Sample, manifest: RunManifest): Record<string, JsonValue> {
  const names = manifest.metadataKeys.filter((name) => !OWN_METADATA.includes(name));
  const given = names.map((name): [string, JsonValue] => [
    name,
    Object.hasOwn(metadata, name) ? (metadata[name] ?? null) : null,
  ]);
  return Object.fromEntries([
    ...given,
    ['batch_num', partOf(index, manifest)],
    ['timestamp', trajectoryTime(now)],
    ['model', result.model],
  ]);
}

const INDEX = /^\{"prompt_index": ?(\d+)[,}]/;

/** Returns the prompt index of a line; undefined if the line is incomplete or not ours. */
export function indexOfLine(line: string): number | undefined {
  const found = line.endsWith('}') ? INDEX.exec(line)?.[1] : undefined;
  return found === undefined ? undefined : Number(found);
}
