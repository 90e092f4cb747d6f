import type { Prompt, PromptPart } from '../../src/testing/index.ts';

/** An alternative marker placement, for comparison. */
export type Placement = (prompt: Prompt) => Prompt;

/** The usual first version of clients: the prompt is cached, the conversation is not. */
export const systemOnly: Placement = (prompt) => remark(prompt, [lastOf(prompt, 'system')]);

/**
 * The system prompt and the last three messages, with each tool result counted separately: the obvious
 * implementation.
 */
export const lastThreeEntries: Placement = (prompt) => {
  const ends = prompt.parts.flatMap((part, index) => (endsEntry(part, prompt.parts[index + 1]) ? [index] : []));
  return remark(prompt, [lastOf(prompt, 'system'), ...ends.slice(-3)]);
};

/** The same markers with a lifetime of an hour. */
export const forAnHour: Placement = (prompt) => ({
  ...prompt,
  parts: prompt.parts.map((part) => (part.mark === undefined ? part : { ...part, mark: '1h' })),
});

/** Also marks tool results in the messages of a model gateway, if it accepts markers there. */
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

/** Treats all results of a tool batch as one message. */
function endsMessage({ section, block }: PromptPart, next: PromptPart | undefined): boolean {
  if (section !== 'messages') return false;
  const inBatch = block.text.startsWith('tool\n') && next?.block.text.startsWith('tool\n');
  return next === undefined || (startsMessage(next) && !inBatch);
}

function startsMessage({ block }: PromptPart): boolean {
  return /^(?:user|assistant|tool)\n/.test(block.text);
}
