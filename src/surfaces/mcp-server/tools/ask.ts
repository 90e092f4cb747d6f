import * as z from 'zod/mini';
import { exitFacts, type JsonObject, type RunResult } from '../../../base/index.ts';
import { defineServedTool } from '../define-served-tool.ts';
import type { Asks } from '../asks.ts';
import type { ServedResult, ServedTool } from '../served-parts.ts';

const OUTPUT_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    session_id: { type: 'string', description: 'Pass it as `session` to continue this session.' },
    response: { type: 'string', description: 'The answer.' },
    completed: { type: 'boolean', description: 'Whether the work was completed.' },
    exit_reason: { type: 'string', description: 'Why the turn ended, such as completed, interrupted or failed.' },
    model: { type: 'string' },
    provider: { type: 'string' },
    steps: { type: 'integer', description: 'The number of responses of the model.' },
    tool_calls: { type: 'integer' },
    duration_ms: { type: 'number' },
    usage: {
      type: 'object',
      properties: {
        input: { type: 'integer' },
        output: { type: 'integer' },
        cache_read: { type: 'integer' },
        cache_write: { type: 'integer' },
        reasoning: { type: 'integer' },
      },
    },
    cost_usd: { type: ['number', 'null'], description: 'null if the price is not known.' },
    error: { type: 'string', description: 'What went wrong, and what to do next.' },
  },
  required: ['session_id', 'response', 'completed', 'exit_reason'],
};

export function askTool(asks: Asks): ServedTool {
  return defineServedTool({
    name: 'hermes_ask',
    title: 'Ask Hermes',
    description:
      'Give Hermes a task or a question, and wait for the answer. Hermes is an autonomous agent with tools of its own: it runs commands, reads and writes files, searches the web and remembers earlier sessions. It sees nothing of your conversation, so the prompt must contain everything it needs. A call can take minutes and reports its progress; cancelling it interrupts the work. Operations that need approval are shown to your user if your program supports elicitation, and are denied otherwise. Pass session to continue an earlier session.',
    parameters: z.object({
      prompt: z
        .string('a string is required')
        .check(z.regex(/\S/, 'a text is required'), z.describe('The task or question, with everything it needs.')),
      session: z.optional(
        z
          .string()
          .check(
            z.describe(
              'The session to continue: the session_id of an earlier result, or its title. Default: a new session.',
            ),
          ),
      ),
      cwd: z.optional(
        z
          .string()
          .check(
            z.describe(
              'The absolute path of the working directory. Files in it can be changed without approval. Default: that of the session, or the one in which the server was started.',
            ),
          ),
      ),
    }),
    outputSchema: OUTPUT_SCHEMA,
    readOnly: false,
    isOpenWorld: true,
    isForAll: true,
    run: (args, call) => asks.call(args, call),
  });
}

/** The result of a turn, with the answer as its text and the session for clients that show only text. */
export function describeResult(result: RunResult): ServedResult {
  const { usage, cost, error, finalResponse, sessionId } = result;
  const { flag } = exitFacts(result.exitReason);
  const problem = [error?.message, error?.hint].filter(Boolean).join(' ');
  const structured: JsonObject = {
    session_id: sessionId,
    response: finalResponse,
    completed: result.completed,
    exit_reason: result.exitReason,
    model: result.model,
    provider: result.provider,
    steps: result.apiCalls,
    tool_calls: result.toolCalls,
    duration_ms: result.durationMs,
    usage: {
      input: usage.input,
      output: usage.output,
      cache_read: usage.cacheRead,
      cache_write: usage.cacheWrite,
      reasoning: usage.reasoning,
    },
    cost_usd: cost.status === 'unknown' ? null : (cost.usd ?? null),
    ...(problem !== '' && { error: problem }),
  };
  const note = result.completed ? '' : `, ${result.exitReason}${problem === '' ? '' : `: ${problem}`}`;
  const text = `${finalResponse}\n\n[session ${sessionId}${note}]`.trimStart();
  return { result: structured, text, isError: flag === 'failed' || flag === 'interrupted' };
}
