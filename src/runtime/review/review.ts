import { isJsonObject, type Message, newId, parseJson, type RunResult, type ToolCall } from '../../base/index.ts';
import type { AgentToolState, AuxiliaryModels, BatchContext, ToolOutcome, ToolSet } from '../../contracts/index.ts';
import type { DueReview } from './review-counter.ts';
import { describeWork, reviewSystem } from './review-text.ts';
import { KEEPING_TOOLS } from './review-tools.ts';

export type ReviewParts = {
  auxiliary: AuxiliaryModels;
  /** Only what keeps something, and what has to be read for that. */
  tools: ToolSet;
  signal: AbortSignal;
};

/** Few, because mostly there is nothing to keep. */
const MOST_CALLS = 5;
const MOST_TOKENS = 4_000;

/** Asks a second model what is worth keeping, and lets it; what was kept, in words for the person. */
export async function reviewTurn(
  parts: ReviewParts,
  due: DueReview,
  result: RunResult,
  work: readonly Message[],
): Promise<string[]> {
  const { auxiliary, tools, signal } = parts;
  const wanted = [...(due.skills ? KEEPING_TOOLS.skills : []), ...(due.memory ? KEEPING_TOOLS.memory : [])];
  const offered = (await tools.definitions()).filter(({ name }) => wanted.includes(name));
  const possible = { skills: due.skills && has(offered, 'skill_manage'), memory: due.memory && has(offered, 'memory') };
  if (!possible.skills && !possible.memory) return [];
  const messages: Message[] = [{ role: 'user', content: describeWork(work) }];
  const kept: string[] = [];
  const asked = { system: reviewSystem(possible), maxOutputTokens: MOST_TOKENS, tools: offered, signal };
  for (let call = 0; call < MOST_CALLS; call += 1) {
    const { text, toolCalls = [] } = await auxiliary.ask('review', { ...asked, messages, sessionId: result.sessionId });
    const calls = toolCalls.filter(({ name }) => has(offered, name));
    if (calls.length === 0) break;
    messages.push({ role: 'assistant', content: text, toolCalls: calls });
    for (const { prepared, outcome } of await runCalls(tools, calls, result.sessionId, signal)) {
      messages.push({ role: 'tool', toolCallId: prepared.id, toolName: prepared.name, content: outcome.content });
      const words = outcome.status === 'ok' ? describeKept(prepared) : undefined;
      if (words !== undefined) kept.push(words);
    }
  }
  return kept;
}

function has(offered: readonly { name: string }[], name: string): boolean {
  return offered.some((tool) => tool.name === name);
}

/** Nobody is asked: what needs the person's word is not done. */
async function runCalls(
  tools: ToolSet,
  calls: readonly ToolCall[],
  sessionId: string,
  signal: AbortSignal,
): Promise<{ prepared: ToolCall; outcome: ToolOutcome }[]> {
  const results: { prepared: ToolCall; outcome: ToolOutcome }[] = [];
  const state: AgentToolState = { todos: [], approvedRules: new Set() };
  const context: BatchContext = {
    sessionId,
    taskId: newId('task'),
    signal,
    contextLength: undefined,
    state,
    interaction: { approve: async () => 'deny', clarify: async () => undefined },
    onStarted: () => undefined,
    onProgress: () => undefined,
    onResult: async ({ call }, outcome) => void results.push({ prepared: call, outcome }),
  };
  await tools.run(await tools.prepare(calls), context);
  return results;
}

const DONE: Readonly<Record<string, string>> = {
  create: 'a new skill',
  delete: 'without the skill',
};

function describeKept({ name, arguments: text }: ToolCall): string | undefined {
  if (name === 'memory') return 'a memory';
  if (name !== 'skill_manage') return undefined;
  const args = parseJson(text);
  const { action, name: skill } = isJsonObject(args) ? args : {};
  if (typeof action !== 'string' || typeof skill !== 'string') return undefined;
  return `${DONE[action] ?? 'a better skill'} ${skill}`;
}
