import { errorMessage, type JsonObject, NO_USAGE, type Usage } from '../../base/index.ts';
import type { MediaEndpoint, PaidTask, ChargedAmount, ToolContext } from '../../contracts/index.ts';
import { ToolFailure } from '../../tools/index.ts';
import { parseBody, type ServiceInfo, callService, objectIn, type ServiceRequest } from '../asking/call-service.ts';

/** A service that charges per response. */
export type PaidService = ServiceInfo & {
  /** Reads usage and cost from a response; undefined if the service does not report them. */
  chargedAmount?(answer: JsonObject): ChargedAmount;
};

type Order = {
  purpose: PaidTask;
  service: PaidService;
  maker: MediaEndpoint & { backend: string };
  model: string;
  request: ServiceRequest;
};

/** Like `callService`, and records usage and cost of the response, usable or not. */
export async function callPaidService(
  { service, maker, request, ...order }: Order,
  context: ToolContext,
): Promise<Uint8Array> {
  const { sessionId, taskId, signal, services, logger } = context;
  const whom = { provider: maker.backend, baseUrl: maker.url ?? service.url };
  const paid = await services.paidCallLog
    ?.begin({ ...order, ...whom, sessionId, taskId })
    .catch((thrown: unknown) => Promise.reject(new ToolFailure(`Nothing was generated. ${errorMessage(thrown)}`)));
  const body = await callService(service, maker, request, { signal });
  // The paid result is kept even if it cannot be recorded: after a failure the model would ask, and pay, again.
  await paid?.(service.chargedAmount?.(parseBody(body) ?? {}) ?? {}).catch((thrown: unknown) =>
    logger.warn('could not record the cost of a paid call', { ...order, ...whom, error: errorMessage(thrown) }),
  );
  return body;
}

/** Costs above this are treated as invalid, because they would distort every total. */
const MAX_COST_USD = 1e6;
/** xAI reports costs in ticks. */
const TICKS_PER_USD = 1e10;

/** Token usage as reported by OpenAI-compatible image APIs. */
export function usageFromOpenai(answer: JsonObject): ChargedAmount {
  return { usage: usageIn(objectIn(answer, 'usage'), 'input_tokens', 'output_tokens') };
}

/** Cost and token usage as reported by OpenRouter. */
export function usageFromOpenrouter(answer: JsonObject): ChargedAmount {
  const said = objectIn(answer, 'usage');
  return { usd: money(said?.['cost']), usage: usageIn(said, 'prompt_tokens', 'completion_tokens') };
}

export function usageFromXai(answer: JsonObject): ChargedAmount {
  const ticks = objectIn(answer, 'usage')?.['cost_in_usd_ticks'];
  return { usd: typeof ticks === 'number' ? money(ticks / TICKS_PER_USD) : undefined };
}

export function usageFromGemini(answer: JsonObject): ChargedAmount {
  return { usage: usageIn(objectIn(answer, 'usageMetadata'), 'promptTokenCount', 'candidatesTokenCount') };
}

function usageIn(said: JsonObject | undefined, input: string, output: string): Usage | undefined {
  return said && { ...NO_USAGE, input: count(said[input]), output: count(said[output]) };
}

/** Invalid token counts count as 0. */
function count(value: unknown): number {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : 0;
}

function money(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value <= MAX_COST_USD ? value : undefined;
}
