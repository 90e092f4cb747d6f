import { isJsonObject, parseJson, type ToolStatus } from '../base/index.ts';
import type { RecordedMessage } from './to-conversations.ts';
import { matchResults, readCall } from './tool-blocks.ts';

export type ToolUse = { count: number; success: number; failure: number };

/** Two columns of a batch sample. Both contain every known tool, used or not. */
export type ToolUseCounts = {
  toolStats: Record<string, ToolUse>;
  toolErrorCounts: Record<string, number>;
};

/** Counts the calls of each known tool by outcome. Calls of unknown tools are ignored. */
export function countToolUse(messages: readonly RecordedMessage[], knownTools: readonly string[]): ToolUseCounts {
  const names = [...new Set(knownTools)].sort();
  const uses = new Map<string, ToolUse>(names.map((name) => [name, { count: 0, success: 0, failure: 0 }]));
  const byPlainName = new Map(names.map((name) => [plainName(name), name]));
  for (const { name, isFailure } of readOutcomes(messages)) {
    const use = uses.get(name) ?? uses.get(byPlainName.get(plainName(name)) ?? '');
    if (use === undefined) continue;
    use.count += 1;
    if (isFailure) use.failure += 1;
    else use.success += 1;
  }
  return {
    toolStats: Object.fromEntries(uses),
    toolErrorCounts: Object.fromEntries([...uses].map(([name, { failure }]) => [name, failure])),
  };
}

/** The normalized name: models write `Read-File` for `read_file`. */
export function plainName(name: string): string {
  return name.replace(/[\s_.-]+/g, '').toLowerCase();
}

function* readOutcomes(messages: readonly RecordedMessage[]): Generator<{ name: string; isFailure: boolean }> {
  for (const [at, { message }] of messages.entries()) {
    if (message.role !== 'assistant') continue;
    const results: RecordedMessage[] = [];
    for (let next = at + 1; messages[next]?.message.role === 'tool'; next += 1) {
      results.push(messages[next] as RecordedMessage);
    }
    const { toolCalls = [] } = message;
    const said = results.flatMap(({ message: result }) => (result.role === 'tool' ? [result] : []));
    const { matched } = matchResults(toolCalls, said);
    for (const [index, call] of toolCalls.entries()) {
      const result = results.find(({ message: candidate }) => candidate === matched[index]);
      yield { name: readCall(call).name, isFailure: result === undefined || hasFailed(result) };
    }
  }
}

/** Messages stored by another program have no status, so it is derived from the content. */
function hasFailed({ message, toolStatus }: { message: { content: string }; toolStatus?: ToolStatus }): boolean {
  if (toolStatus !== undefined) return toolStatus !== 'ok';
  const value = parseJson(message.content);
  if (!isJsonObject(value)) return /^Error\b/.test(message.content);
  const { error, success } = value;
  return (error !== undefined && error !== null && error !== false && error !== '') || success === false;
}
