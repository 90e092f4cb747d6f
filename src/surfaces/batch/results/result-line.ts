import type { JsonObject, JsonValue, RunResult } from '../../../base/index.ts';
import {
  countToolUse,
  type RecordedMessage,
  toJsonLine,
  type TrajectoryTurn,
  trajectoryTime,
} from '../../../trajectories/index.ts';
import type { RunManifest } from '../folder/run-folder.ts';

/** What a prompt came to. Samples without any thinking are dropped: they would teach a model not to think. */
export type PromptResult =
  | { kind: 'kept'; index: number; line: string }
  | { kind: 'dropped' | 'failed'; index: number; record: JsonObject };

/** What a run itself says in the metadata of a line. */
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

/** Which part the line of a prompt goes into; it follows from its number, so that it is the same in every run. */
export function partOf(index: number, { partSize }: Pick<RunManifest, 'partSize'>): number {
  return Math.floor(index / partSize) + 1;
}

/** One line of a part. All lines of a run have the same fields, in the same order. */
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

/** Whose line it is; undefined where it is no whole line of ours. */
export function indexOfLine(line: string): number | undefined {
  const found = line.endsWith('}') ? INDEX.exec(line)?.[1] : undefined;
  return found === undefined ? undefined : Number(found);
}
