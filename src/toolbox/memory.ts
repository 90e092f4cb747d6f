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
/** Tries to make room in one turn after which it is not worth going on. */
const MAX_REFUSALS = 3;
const APPROVAL_RULE = 'memory write';

const text = z.optional(z.string());
const change = { action: z.optional(z.enum(ACTIONS)), content: text, old_text: text };
type Change = z.output<z.ZodMiniObject<typeof change>>;

export const memoryTool = defineTool({
  name: 'memory',
  toolset: 'memory',
  emoji: '🧠',
  asksBefore: 'every change, where `memory.write_approval` is on',
  description:
    'Short facts for later sessions. user: who the user is, wishes, corrections; memory: your notes on this machine, projects, lessons. Not for the progress of a task, secrets, or what can be looked up. operations: several changes at once.',
  parameters: z.object({
    target: z.enum(MEMORY_TARGETS),
    ...change,
    old_text: z.optional(z.string().check(z.describe('part of the entry to replace or remove'))),
    operations: z.optional(z.array(z.object(change))),
  }),
  concurrency: { mode: 'barrier' },
  requiredServices: ['memory'],
  async run({ target, operations, ...single }, context) {
    const memory = requireMemory(context, target);
    if (context.approvals.planMode)
      throw new ToolDenied('Plan mode: nothing is written. Put it into your plan instead.');
    const changes = (operations?.length ? operations : [single]).map(toOperation);
    if (memory.asksFirst) {
      const expected = await memory.check(target, changes);
      if (expected.status !== 'changed') return answer(expected, context);
      await askThePerson(target, changes, context);
    }
    return answer(await memory.change(target, changes, context.signal), context);
  },
});

function requireMemory({ services }: ToolContext, target: MemoryTarget): MemoryWriter {
  const { memory } = services;
  if (memory?.targets.includes(target)) return memory;
  const others = memory?.targets.map((other) => `"${other}"`).join(', ') ?? '';
  throw new ToolFailure(`The memory "${target}" is switched off.${others === '' ? '' : ` There is ${others}.`}`);
}

function toOperation({ action, content, old_text: oldText }: Change): MemoryOperation {
  if (action === undefined) throw new ToolFailure(`action is missing: give one of ${ACTIONS.join(', ')}.`);
  const missing = (name: string) => new ToolFailure(`${action} needs ${name}.`);
  if (action === 'add') {
    if (content === undefined) throw missing('content');
    return { action, content };
  }
  if (oldText === undefined) throw missing('old_text, a part of the entry that is meant');
  if (action === 'remove') return { action, oldText };
  if (content === undefined) throw missing('content');
  return { action, oldText, content };
}

/** Success does not show the entries: the model knows what it wrote, and a list would only invite more of it. */
function answer(outcome: MemoryOutcome, context: ToolContext): { [key: string]: string | number } {
  if (outcome.status !== 'refused') {
    const { used, limit } = outcome.usage;
    const result = outcome.status === 'changed' ? 'saved' : 'already there';
    return { result, usage: `${used} of ${limit} characters` };
  }
  const { kind, reason, usage, entries } = outcome;
  if (kind !== 'over_limit') throw new ToolFailure(reason);
  const refusals = countRefusal(context);
  const error = refusals >= MAX_REFUSALS ? `${reason} ${GIVE_UP}` : `${reason} ${MAKE_ROOM}`;
  const details = refusals >= MAX_REFUSALS ? {} : { entries: [...(entries ?? [])] };
  throw new ToolFailedOutput(
    JSON.stringify({ error, ...(usage && { usage: `${usage.used} of ${usage.limit} characters` }), ...details }),
  );
}

const MAKE_ROOM =
  'Merge, shorten or remove entries and add the new one in the same call with operations; what counts is the size at the end.';
const GIVE_UP = 'This did not work out several times: leave memory as it is for now and go on with the task.';

function countRefusal({ agent, taskId }: ToolContext): number {
  if (agent === undefined) return 1;
  const before = agent.memoryRefusals?.taskId === taskId ? agent.memoryRefusals.count : 0;
  agent.memoryRefusals = { taskId, count: before + 1 };
  return before + 1;
}

async function askThePerson(
  target: MemoryTarget,
  operations: readonly MemoryOperation[],
  { interaction, agent }: ToolContext,
): Promise<void> {
  if (agent?.approvedRules.has(APPROVAL_RULE)) return;
  const subject = operations.map(describe).join('\n');
  // For good is a setting: what is remembered should not be decided by a word typed in passing.
  const always = 'the same as for this session; memory.write_approval: false lifts it for good';
  const reasons = [{ rule: APPROVAL_RULE, matched: MEMORY_FILE_NAMES[target], always }];
  const reply = await interaction.approve({
    toolName: 'memory',
    subject: `${MEMORY_FILE_NAMES[target]}\n${subject}`,
    reasons,
  });
  if (reply === 'deny') throw new ToolDenied('The user did not allow this to be written. Go on without it.');
  if (reply !== 'once') agent?.approvedRules.add(APPROVAL_RULE);
}

function describe(operation: MemoryOperation): string {
  if (operation.action === 'add') return `+ ${operation.content}`;
  const old = shorten(operation.oldText, 200);
  return operation.action === 'remove' ? `- ${old}` : `- ${old}\n+ ${operation.content}`;
}
