import { errorMessage, type JsonObject } from '../../base/index.ts';
import type { MediaEndpoint, PaidTask, Taken, ToolContext } from '../../contracts/index.ts';
import { ToolFailure } from '../../tools/index.ts';
import { type AskedService, askService, type ServiceRequest } from '../asking/ask-service.ts';
import { answerOf } from '../asking/read-answer.ts';

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
