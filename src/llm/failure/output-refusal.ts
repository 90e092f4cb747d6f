import type { ModelErrorKind, OutputRefusal } from '../../base/index.ts';
import type { FailureFacts } from './error-body.ts';

const LIMIT_NAME = /\bmax_(?:completion_|output_|new_)?tokens\b|\bmaxOutputTokens\b/i;

// Words for other problems than an output limit that is too high: the parameter is not supported, another one is
// required, or the value is too low.
const NOT_THE_AMOUNT =
  /not (?:supported|permitted|allowed)|unsupported|unknown|unrecognized|deprecated|required|greater than|at least/i;

const AMOUNT_KINDS: readonly ModelErrorKind[] = ['unsupported_parameter', 'format_error'];

// The largest accepted amount, as providers state it.
const ACCEPTED_PATTERNS: readonly RegExp[] = [
  /> ([\d,]+), which is the maximum allowed number of output tokens/i,
  /(?:less than or equal to|at most|up to|(?:cannot|must not|can not) exceed|<=) [`'"]?([\d,]+)/i,
  /range of max_\w*tokens (?:is|should be) \[\d+, ?([\d,]+)\]/i,
  /maximum(?: value)?(?: of| is|:) [`'"]?([\d,]+)/i,
];

// The number of prompt tokens, in messages about prompt and output together.
const PROMPT_PATTERNS: readonly RegExp[] = [
  /max_tokens[`'"]? exceed context limit: ([\d,]+) ?\+/i,
  /\b(?:has|have|passed) ([\d,]+) input tokens/i,
];
/** OpenAI and OpenRouter state the total tokens and the output tokens. */
const SUM_PATTERN = /requested (?:about )?([\d,]+) tokens \([^)]*?([\d,]+) in the (?:completion|output)\)/i;

/**
 * Detects that a provider rejected the output limit of a request. `contextLimit` is the context window that the message
 * states, if any.
 */
export function parseOutputRefusal(
  kind: ModelErrorKind,
  { status, message, parameter = '' }: Pick<FailureFacts, 'status' | 'message' | 'parameter'>,
  contextLimit: number | undefined,
): OutputRefusal | undefined {
  if (kind === 'billing') return status === 402 ? parseCredits(message) : undefined;
  const isAmount = AMOUNT_KINDS.includes(kind) && (LIMIT_NAME.test(message) || LIMIT_NAME.test(parameter));
  if (!isAmount && kind !== 'context_overflow') return undefined;
  const room = contextLimit === undefined ? undefined : parseRoom(message, contextLimit);
  if (room !== undefined || !isAmount) return room;
  const accepted = acceptedIn(message);
  if (accepted === undefined && NOT_THE_AMOUNT.test(message)) return undefined;
  return withNumbers({ reason: 'amount' }, accepted);
}

/**
 * Detects that the credits do not cover the output limit: routers reserve the price of the whole limit before they
 * start.
 */
function parseCredits(message: string): OutputRefusal | undefined {
  if (!LIMIT_NAME.test(message) && !/can only afford|credits/i.test(message)) return undefined;
  const accepted = numberIn(/can only afford ([\d,]+)/i, message);
  return withNumbers({ reason: 'credits' }, accepted, numberIn(/requested up to ([\d,]+)/i, message));
}

function parseRoom(message: string, contextLimit: number): OutputRefusal | undefined {
  const [, sum, output] = SUM_PATTERN.exec(message) ?? [];
  const stated = PROMPT_PATTERNS.map((pattern) => numberIn(pattern, message)).find((tokens) => tokens !== undefined);
  const prompt = stated ?? (sum === undefined ? undefined : toNumber(sum) - toNumber(output));
  if (prompt === undefined || prompt >= contextLimit) return undefined;
  return { reason: 'window', accepted: contextLimit - prompt };
}

function acceptedIn(message: string): number | undefined {
  return ACCEPTED_PATTERNS.map((pattern) => numberIn(pattern, message)).find((tokens) => tokens !== undefined);
}

function withNumbers(refusal: OutputRefusal, accepted?: number, requested?: number): OutputRefusal {
  if (accepted !== undefined) refusal.accepted = accepted;
  if (requested !== undefined) refusal.requested = requested;
  return refusal;
}

function numberIn(pattern: RegExp, message: string): number | undefined {
  const found = pattern.exec(message)?.[1];
  return found === undefined ? undefined : toNumber(found);
}

function toNumber(digits = ''): number {
  return Number(digits.replaceAll(',', ''));
}
