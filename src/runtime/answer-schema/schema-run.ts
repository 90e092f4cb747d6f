import { addCost, addUsage, type AuxiliaryShare, type JsonObject, type RunResult } from '../../base/index.ts';
import type { AnswerSchema } from './answer-schema.ts';

/** One turn of it: what the person said, and what the model is sent in its place. */
export type SchemaTurn = { userMessage: string; sentMessage?: string; outputSchema: JsonObject; resume?: string };

export type SchemaRun = {
  schema: AnswerSchema;
  message: { userMessage: string; sentMessage?: string };
  runTurn(turn: SchemaTurn): Promise<RunResult>;
  /** An answer was refused and will be asked for again. */
  onInvalid(problems: readonly string[]): void;
};

/** Asks for an answer that validates, and once more where it does not. Where the result is completed, its text is the JSON. */
export async function runWithSchema({ schema, message, runTurn, onInvalid }: SchemaRun): Promise<RunResult> {
  const { userMessage, sentMessage = userMessage } = message;
  const outputSchema = schema.schema;
  const sent = `${sentMessage}\n\n${describeTask(outputSchema)}`;
  const first = await runTurn({ userMessage, sentMessage: sent, outputSchema });
  const checked = schema.check(first.finalResponse);
  if ('json' in checked || !first.completed) return accept(first, checked);
  onInvalid(checked.problems);
  const repair = { userMessage: describeRefusal(checked.problems), outputSchema, resume: first.sessionId };
  const second = joinResults(first, await runTurn(repair));
  return accept(second, schema.check(second.finalResponse));
}

function accept(result: RunResult, checked: ReturnType<AnswerSchema['check']>): RunResult {
  if (!result.completed) return result;
  if ('json' in checked) return { ...result, finalResponse: checked.json };
  const failed = { exitReason: 'failed', completed: false, failed: true } as const;
  const message = `The answer does not validate against the schema: ${checked.problems.join('; ')}.`;
  const hint = `The text is kept: hermes sessions show ${result.sessionId}`;
  return { ...result, ...failed, error: { message, hint } };
}

/** The one turn that the two were to whoever asked. */
function joinResults(first: RunResult, second: RunResult): RunResult {
  const auxiliary = joinShares(first.auxiliary, second.auxiliary);
  return {
    ...second,
    // What was answered before is better than nothing.
    finalResponse: second.finalResponse === '' ? first.finalResponse : second.finalResponse,
    usage: addUsage(first.usage, second.usage),
    cost: addCost(first.cost, second.cost),
    ...(auxiliary && { auxiliary }),
    apiCalls: first.apiCalls + second.apiCalls,
    toolCalls: first.toolCalls + second.toolCalls,
    durationMs: first.durationMs + second.durationMs,
  };
}

function joinShares(first?: AuxiliaryShare, second?: AuxiliaryShare): AuxiliaryShare | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return {
    calls: first.calls + second.calls,
    usage: addUsage(first.usage, second.usage),
    cost: addCost(first.cost, second.cost),
  };
}

/** Also where the provider itself holds the model to the schema: it has to be known before the answer is thought out. */
function describeTask(schema: JsonObject): string {
  return [
    '[A program reads the final answer. It must be one JSON value that validates against this JSON Schema, with no words',
    'around it and no code fence. Tools may be used before, as usual.]',
    JSON.stringify(schema),
  ].join('\n');
}

function describeRefusal(problems: readonly string[]): string {
  return [
    'The program that reads the answer refused it:',
    ...problems.map((problem) => `- ${problem}`),
    'Give the whole answer again as one JSON value that validates against the schema, and nothing else.',
  ].join('\n');
}
