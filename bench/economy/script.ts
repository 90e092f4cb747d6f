import type { Reply, ReplyToolCall } from '../../src/testing/index.ts';
import { createChance, fileName } from './workspace.ts';

/** Calls per response: enough that one step adds more blocks than a provider's look-back covers. */
const MANY_CALLS = 24;
const TEXTS = [
  'I look at the next part before I change anything.',
  'That explains the failing check: the value is read before it is stored. Now the caller.',
  'Two places use it. I read both, then decide which one has to change.',
];
const ANSWER =
  'Done. The value is now stored before it is read, both callers use the new order, and the check passes. What is left is ' +
  'the note in the documentation, which I did not touch because it is about another release.';

export type ScriptOptions = { toolTurns: number; turnsPerMessage: number };

/** The replies for a session with this many tool turns, the same in every run. */
export function createReplies({ toolTurns, turnsPerMessage }: ScriptOptions): (toolNames: readonly string[]) => Reply {
  const chance = createChance(toolTurns);
  let step = 0;
  let inMessage = 0;
  return (toolNames) => {
    if (inMessage === turnsPerMessage || step === toolTurns) {
      inMessage = 0;
      return { text: ANSWER };
    }
    step += 1;
    inMessage += 1;
    const toolCalls = callsOf(step, chance, toolNames);
    // About every second response has text before its calls.
    return chance(2) === 0 ? { toolCalls } : { text: TEXTS[chance(TEXTS.length)], toolCalls };
  };
}

function callsOf(step: number, chance: (below: number) => number, toolNames: readonly string[]): ReplyToolCall[] {
  if (step % 40 === 20)
    return Array.from({ length: MANY_CALLS }, (_, index) => readCall(step + index, step + index, 6));
  if (step % 25 === 10) return [memoryCall(step, toolNames)];
  const kind = chance(20);
  if (kind < 11) return [readCall(step, chance(800), 10 + chance(70))];
  if (kind < 14)
    return [readCall(step, chance(800), 20), readCall(step + 7, chance(800), 30), readCall(step + 13, chance(800), 15)];
  if (kind < 17)
    return [{ name: 'search_files', arguments: { pattern: `Cache${chance(900)}\\b`, path: 'src', limit: 40 } }];
  if (kind < 19)
    return [
      {
        name: 'terminal',
        arguments: { command: `wc -l ${fileName(step)} && tail -n ${5 + chance(30)} ${fileName(step)}` },
      },
    ];
  const content = `export const step = ${step};\n`.repeat(5 + chance(40));
  return [{ name: 'write_file', arguments: { path: `out/step-${step}.ts`, content } }];
}

function readCall(file: number, offset: number, limit: number): ReplyToolCall {
  return { name: 'read_file', arguments: { path: fileName(file), offset: offset + 1, limit } };
}

/** A memory entry is written in the middle of the session, and must not change the prompt. */
function memoryCall(step: number, toolNames: readonly string[]): ReplyToolCall {
  const content = `The checks of step ${step} need the folder out/ to be there.`;
  if (toolNames.includes('memory')) return { name: 'memory', arguments: { action: 'add', target: 'memory', content } };
  return { name: 'write_file', arguments: { path: `notes/step-${step}.md`, content } };
}

const REQUESTS = [
  'Find out why the value is read too early, and mend it.',
  'Now do the same for the other module, and tell me what differs.',
  'Good. Look through the callers once more; something still uses the old order.',
];

export function userMessage(index: number): string {
  return `${REQUESTS[index % REQUESTS.length]} (request ${index + 1})`;
}
