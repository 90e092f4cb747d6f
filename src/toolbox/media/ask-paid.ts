import { errorMessage, type JsonObject, NO_USAGE, type Usage } from '../../base/index.ts';
import type { MediaEndpoint, PaidTask, Taken, ToolContext } from '../../contracts/index.ts';
import { ToolFailure } from '../../tools/index.ts';
import { answerOf, type AskedService, askService, objectIn, type ServiceRequest } from '../asking/ask-service.ts';

/** A service that is paid for each answer. */
export type PaidService = AskedService & {
  /** What it says in an answer that it took; left out where it says nothing. */
  taken?(answer: JsonObject): Taken;
};

type Order = {
  purpose: PaidTask;
  service: PaidService;
  maker: MediaEndpoint & { backend: string };
  model: string;
  request: ServiceRequest;
};

/** As `askService`, and what the answer took is written down, whether it is of any use or not. */
export async function askPaid({ service, maker, request, ...order }: Order, context: ToolContext): Promise<Uint8Array> {
  const { sessionId, taskId, signal, services, logger } = context;
  const whom = { provider: maker.backend, baseUrl: maker.url ?? service.url };
  const paid = await services.mediaAccount
    ?.begin({ ...order, ...whom, sessionId, taskId })
    .catch((thrown: unknown) => Promise.reject(new ToolFailure(`Nothing was made. ${errorMessage(thrown)}`)));
  const body = await askService(service, maker, request, { signal });
  // What was paid for is kept all the same: a model that hears of a failure would ask, and pay, again.
  await paid?.(service.taken?.(answerOf(body) ?? {}) ?? {}).catch((thrown: unknown) =>
    logger.warn('what a service took could not be written down', { ...order, ...whom, error: errorMessage(thrown) }),
  );
  return body;
}

/** No call costs as much; a figure above it is a fault that would poison every sum. */
const LARGEST_COST_USD = 1e6;
/** In which xAI counts money. */
const TICKS_PER_USD = 1e10;

/** How OpenAI and servers like it say what an image took. */
export function takenTokens(answer: JsonObject): Taken {
  return { usage: usageIn(objectIn(answer, 'usage'), 'input_tokens', 'output_tokens') };
}

/** A router says what it was paid. */
export function takenByRouter(answer: JsonObject): Taken {
  const said = objectIn(answer, 'usage');
  return { usd: money(said?.['cost']), usage: usageIn(said, 'prompt_tokens', 'completion_tokens') };
}

export function takenTicks(answer: JsonObject): Taken {
  const ticks = objectIn(answer, 'usage')?.['cost_in_usd_ticks'];
  return { usd: typeof ticks === 'number' ? money(ticks / TICKS_PER_USD) : undefined };
}

export function takenByGemini(answer: JsonObject): Taken {
  return { usage: usageIn(objectIn(answer, 'usageMetadata'), 'promptTokenCount', 'candidatesTokenCount') };
}

function usageIn(said: JsonObject | undefined, input: string, output: string): Usage | undefined {
  return said && { ...NO_USAGE, input: count(said[input]), output: count(said[output]) };
}

/** What cannot be a number of tokens is none. */
function count(value: unknown): number {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : 0;
}

function money(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value <= LARGEST_COST_USD ? value : undefined;
}
