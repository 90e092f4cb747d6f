import { HermesError, isJsonObject, type JsonObject, parseJson } from '../../base/index.ts';
import type { HookEvent } from '../../contracts/index.ts';
import { shorten } from '../../util/index.ts';
import type { HookOutput } from './run-hook.ts';

/** The exit code by which a command blocks a call without writing JSON; the reason is on its error output. */
const BLOCKS = 2;
/** What a command of others printed is no essay. */
const LONGEST_REASON = 2_000;
const NO_REASON = 'A hook of the user blocked this call.';

/** What a command answered, in the form of the hook; undefined where it said nothing that this step can use. */
export function readAnswer(event: HookEvent, { code, output, errors }: HookOutput): unknown {
  if (event === 'pre_tool_call' && code === BLOCKS) return { block: reason(errors) };
  if (code !== 0) throw new HermesError(`it ended with code ${code}: ${shorten(errors.trim() || 'no words', 300)}`);
  if (!['pre_tool_call', 'pre_llm_call', 'transform_tool_result'].includes(event) || output.trim() === '')
    return undefined;
  const answer = parseJson(output);
  if (!isJsonObject(answer)) throw new HermesError('what it printed is no JSON object');
  if (event === 'pre_tool_call') return readBlock(answer);
  const key = event === 'pre_llm_call' ? 'context' : 'content';
  const text = answer[key] ?? specific(answer)['additionalContext'];
  if (typeof text !== 'string') return undefined;
  return event === 'pre_llm_call' ? { context: text } : text;
}

/** In the words of the original, and in those of other agents, so that their scripts work. */
function readBlock(answer: JsonObject): { block: string } | undefined {
  const { permissionDecision, permissionDecisionReason } = specific(answer);
  if (permissionDecision === 'deny') return { block: reason(permissionDecisionReason) };
  const isBlocked = answer['action'] === 'block' || answer['decision'] === 'block';
  return isBlocked ? { block: reason(answer['message'] ?? answer['reason']) } : undefined;
}

function specific(answer: JsonObject): JsonObject {
  const inner = answer['hookSpecificOutput'];
  return isJsonObject(inner) ? inner : {};
}

function reason(text: unknown): string {
  return typeof text === 'string' && text.trim() !== '' ? shorten(text.trim(), LONGEST_REASON) : NO_REASON;
}
