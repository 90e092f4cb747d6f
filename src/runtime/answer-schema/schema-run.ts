import { addCost, addUsage, type AuxiliaryUsage, type JsonObject, type RunResult } from '../../base/index.ts';
import type { AnswerSchema } from './answer-schema.ts';

/** One turn of a schema run: the user message, and what is sent to the model instead of it. */
export type SchemaTurn = { userMessage: string; sentMessage?: string; outputSchema: JsonObject; resume?: string };

export type SchemaRun = {
  schema: AnswerSchema;
  message: { userMessage: string; sentMessage?: string };
  runTurn(turn: SchemaTurn): Promise<RunResult>;
  /** Called when an answer was invalid and will be requested again. */
  onInvalid(problems: readonly string[]): void;
};

/**
 * Runs a turn whose answer must satisfy the schema, and a second one if it does not. If the result is completed, its
 * text is the JSON.
 */
export async function runWithSchema({ schema, message, runTurn, onInvalid }: SchemaRun): Promise<RunResult> {
  const { userMessage, sentMessage = userMessage } = message;
  const outputSchema = schema.schema;
  const sent = `${sentMessage}\n\n${describeTask(outputSchema)}`;
  const first = await runTurn({ userMessage, sentMessage: sent, outputSchema });
  const checked = schema.check(first.finalResponse);
  if ('json' in checked || !first.completed) return accept(first, checked);
  onInvalid(checked.problems);
  const repair = { userMessage: describeRefusal(checked.problems), outputSchema, resume: first.sessionId };
  const second = mergeResults(first, await runTurn(repair));
  return accept(second, schema.check(second.finalResponse));
}

function accept(result: RunResult, checked: ReturnType<AnswerSchema['check']>): RunResult {
  if (!result.completed) return result;
  if ('json' in checked) return { ...result, finalResponse: checked.json };
  const failed = { exitReason: 'failed', completed: false, failed: true } as const;
  const message = `The answer does not match the schema: ${checked.problems.join('; ')}.`;
  const hint = `The answer is stored: hermes sessions show ${result.sessionId}`;
  return { ...result, ...failed, error: { message, hint } };
}

/** Combines the results of both turns into one. */
function mergeResults(first: RunResult, second: RunResult): RunResult {
  const auxiliary = joinShares(first.auxiliary, second.auxiliary);
  return {
    ...second,
    // If the second turn has no answer, the first answer is better than none.
    finalResponse: second.finalResponse === '' ? first.finalResponse : second.finalResponse,
    usage: addUsage(first.usage, second.usage),
    cost: addCost(first.cost, second.cost),
    ...(auxiliary && { auxiliary }),
    apiCalls: first.apiCalls + second.apiCalls,
    toolCalls: first.toolCalls + second.toolCalls,
    durationMs: first.durationMs + second.durationMs,
  };
}

function joinShares(first?: AuxiliaryUsage, second?: AuxiliaryUsage): AuxiliaryUsage | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return {
    calls: first.calls + second.calls,
    usage: addUsage(first.usage, second.usage),
    cost: addCost(first.cost, second.cost),
  };
}

/** Needed even if the provider enforces the schema, because the model must know it before it plans the answer. */
function describeTask(schema: JsonObject): string {
  return [
    '[A program reads the final answer. It must be a single JSON value that validates against this JSON Schema, without',
    'any text around it and without a code fence. You may use tools before that, as usual.]',
    JSON.stringify(schema),
  ].join('\n');
}

function describeRefusal(problems: readonly string[]): string {
  return [
    'The program that reads the answer rejected it:',
    ...problems.map((problem) => `- ${problem}`),
    'Give the complete answer again as a single JSON value that validates against the schema, and nothing else.',
  ].join('\n');
}
