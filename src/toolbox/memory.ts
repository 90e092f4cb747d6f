import * as z from 'zod/mini';
import {
  MEMORY_FILE_NAMES,
  MEMORY_TARGETS,
  type MemoryOperation,
  type MemoryOutcome,
  type MemoryTarget,
  type MemoryWriter,
  type ToolContext,
} from '../contracts/index.ts';
import { defineTool, ToolDenied, ToolFailedOutput, ToolFailure } from '../tools/index.ts';
import { shorten } from '../util/index.ts';

const ACTIONS = ['add', 'replace', 'remove'] as const;
/** After this many refusals in one turn Hermes tells the model to stop trying. */
const MAX_REFUSALS = 3;
const APPROVAL_RULE = 'memory write';

const text = z.optional(z.string());
const change = { action: z.optional(z.enum(ACTIONS)), content: text, old_text: text };
type Change = z.output<z.ZodMiniObject<typeof change>>;

export const memoryTool = defineTool({
  name: 'memory',
  toolset: 'memory',
  emoji: '🧠',
  asksBefore: 'every change, if `memory.write_approval` is on',
  description:
    'Save short facts that later sessions should know. Target `user`: who the user is, preferences, corrections the user made. Target `memory`: your notes about this machine, projects and lessons learned. Saved entries are part of the system prompt of new sessions, so keep them short. Do not save task progress, secrets, or anything that can be looked up. For one change, set action; for several changes, set operations. Each target has a size limit; if a new entry would exceed it, use operations to merge or remove entries and add the new one in the same call.',
  parameters: z.object({
    target: z.enum(MEMORY_TARGETS),
    ...change,
    content: z.optional(z.string().check(z.describe('Full text of the entry, for add and replace.'))),
    old_text: z.optional(
      z.string().check(z.describe('Unique part of the existing entry. Required for replace and remove.')),
    ),
    operations: z.optional(
      z.array(z.object(change)).check(z.describe('Several changes, applied atomically (all or none).')),
    ),
  }),
  concurrency: { mode: 'barrier' },
  requiredServices: ['memory'],
  async run({ target, operations, ...single }, context) {
    const memory = requireMemory(context, target);
    if (context.approvals.planMode)
      throw new ToolDenied('Plan mode is on, so nothing may be written. Put the change into your plan instead.');
    const changes = (operations?.length ? operations : [single]).map(toOperation);
    if (memory.requiresApproval) {
      const expected = await memory.check(target, changes);
      if (expected.status !== 'changed') return answer(expected, context);
      await requireApproval(target, changes, context);
    }
    return answer(await memory.change(target, changes, context.signal), context);
  },
});

function requireMemory({ services }: ToolContext, target: MemoryTarget): MemoryWriter {
  const { memory } = services;
  if (memory?.targets.includes(target)) return memory;
  const others = memory?.targets.map((other) => `"${other}"`).join(', ') ?? '';
  throw new ToolFailure(`The memory target "${target}" is disabled.${others === '' ? '' : ` Available: ${others}.`}`);
}

function toOperation({ action, content, old_text: oldText }: Change): MemoryOperation {
  if (action === undefined) throw new ToolFailure(`action is required: one of ${ACTIONS.join(', ')}.`);
  const missing = (name: string) => new ToolFailure(`${action} requires ${name}.`);
  if (action === 'add') {
    if (content === undefined) throw missing('content');
    return { action, content };
  }
  if (oldText === undefined) throw missing('old_text, a unique part of the entry');
  if (action === 'remove') return { action, oldText };
  if (content === undefined) throw missing('content');
  return { action, oldText, content };
}

/**
 * The result of a change. It does not list the entries: the model knows what it wrote, and a list invites more edits.
 */
function answer(outcome: MemoryOutcome, context: ToolContext): { [key: string]: string | number } {
  if (outcome.status !== 'refused') {
    const { used, limit } = outcome.usage;
    const result = outcome.status === 'changed' ? 'saved' : 'already there';
    return { result, usage: `${used} of ${limit} characters` };
  }
  const { kind, reason, usage, entries } = outcome;
  if (kind !== 'over_limit' && kind !== 'entry_too_long') throw new ToolFailure(reason);
  const givesUp = countRefusal(context) >= MAX_REFUSALS;
  const error = `${reason} ${givesUp ? GIVE_UP : ADVICE[kind]}`;
  const details = givesUp || entries === undefined ? {} : { entries: [...entries] };
  throw new ToolFailedOutput(
    JSON.stringify({ error, ...(usage && { usage: `${usage.used} of ${usage.limit} characters` }), ...details }),
  );
}

const ADVICE = {
  over_limit:
    'Use operations to merge, shorten or remove entries and add the new entry in the same call. Only the final size is checked.',
  entry_too_long: 'Shorten the entry.',
};
const GIVE_UP = 'This change has failed several times. Leave the memory unchanged and continue with the task.';

function countRefusal({ agent, taskId }: ToolContext): number {
  if (agent === undefined) return 1;
  const before = agent.memoryRefusals?.taskId === taskId ? agent.memoryRefusals.count : 0;
  agent.memoryRefusals = { taskId, count: before + 1 };
  return before + 1;
}

async function requireApproval(
  target: MemoryTarget,
  operations: readonly MemoryOperation[],
  { interaction, agent }: ToolContext,
): Promise<void> {
  if (agent?.approvedRules.has(APPROVAL_RULE)) return;
  const subject = operations.map(describe).join('\n');
  // `always` only lasts for the session. Turning approval off permanently is a setting.
  const always = 'same as for this session; set memory.write_approval: false to stop asking';
  const reasons = [{ rule: APPROVAL_RULE, matched: MEMORY_FILE_NAMES[target], always }];
  const reply = await interaction.approve({
    toolName: 'memory',
    subject: `${MEMORY_FILE_NAMES[target]}\n${subject}`,
    reasons,
  });
  if (typeof reply === 'object' && reply.answer === 'deny')
    throw new ToolDenied(
      `The user denied this memory change, with the reason ${JSON.stringify(reply.reason)}. Continue without it.`,
    );
  if (reply === 'deny') throw new ToolDenied('The user denied this memory change. Continue without it.');
  if (reply !== 'once') agent?.approvedRules.add(APPROVAL_RULE);
}

function describe(operation: MemoryOperation): string {
  if (operation.action === 'add') return `+ ${operation.content}`;
  const old = shorten(operation.oldText, 200);
  return operation.action === 'remove' ? `- ${old}` : `- ${old}\n+ ${operation.content}`;
}
