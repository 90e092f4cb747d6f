import type { DelegatedTask } from '../../contracts/index.ts';

/** One layer of a subagent's prompt. */
export const SUBAGENT_LAYER =
  'You work on one task that another agent handed to you, and nobody reads along. What you are told is all you get; nobody can be asked. Your last message is your report, and the only thing the other agent sees: what you found or did, with paths and names that are needed to go on, and plainly what you could not do.';

/** What a subagent is told at the beginning. */
export function taskMessage({ goal, context }: DelegatedTask): string {
  return context?.trim() ? `${goal}\n\n# What you need to know\n\n${context}` : goal;
}
