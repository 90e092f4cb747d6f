import type { Prompt, PromptPart } from '../../src/testing/index.ts';

/** Another way to place the marks of a request, for comparison. */
export type Placement = (prompt: Prompt) => Prompt;

/** What most clients do first: the prompt is kept, the conversation is not. */
export const systemOnly: Placement = (prompt) => remark(prompt, [lastOf(prompt, 'system')]);

/** The system prompt and the last three entries of the history, each result counted as one: what one writes at first. */
export const lastThreeEntries: Placement = (prompt) => {
  const ends = prompt.parts.flatMap((part, index) => (endsEntry(part, prompt.parts[index + 1]) ? [index] : []));
  return remark(prompt, [lastOf(prompt, 'system'), ...ends.slice(-3)]);
};

/** The same marks for an hour. */
export const forAnHour: Placement = (prompt) => ({
  ...prompt,
  parts: prompt.parts.map((part) => (part.mark === undefined ? part : { ...part, mark: '1h' })),
});

/** Results in the messages of a gateway, where it takes a mark there as well. */
export const markedResults: Placement = (prompt) => {
  const ends = prompt.parts.flatMap((part, index) => (endsMessage(part, prompt.parts[index + 1]) ? [index] : []));
  return remark(prompt, [lastOf(prompt, 'system'), ...ends.slice(-3)]);
};

function remark(prompt: Prompt, marked: readonly number[]): Prompt {
  const parts = prompt.parts.map(
    ({ block, section }, index): PromptPart =>
      marked.includes(index) ? { block, section, mark: '5m' } : { block, section },
  );
  return { ...prompt, parts };
}

function lastOf({ parts }: Prompt, section: PromptPart['section']): number {
  return parts.findLastIndex((part) => part.section === section);
}

function endsEntry({ section, block }: PromptPart, next: PromptPart | undefined): boolean {
  if (section !== 'messages') return false;
  return block.text.includes('"tool_result"') || next === undefined || startsMessage(next);
}

/** All results of a batch as one message. */
function endsMessage({ section, block }: PromptPart, next: PromptPart | undefined): boolean {
  if (section !== 'messages') return false;
  const inBatch = block.text.startsWith('tool\n') && next?.block.text.startsWith('tool\n');
  return next === undefined || (startsMessage(next) && !inBatch);
}

function startsMessage({ block }: PromptPart): boolean {
  return /^(?:user|assistant|tool)\n/.test(block.text);
}
