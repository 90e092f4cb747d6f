import { HermesError } from '../../base/index.ts';
import type { ModelRoute } from '../../contracts/index.ts';
import { createModelClient } from '../../llm/index.ts';

/** Stands for a model that is not there any more: requests can be written for it, and go nowhere. */
export function openPlainRoute({
  provider = 'unknown',
  model = 'unknown',
}: {
  provider?: string;
  model?: string;
}): ModelRoute {
  const baseUrl = 'http://offline.invalid/v1';
  const apiMode = 'chat_completions';
  const transport = { send: () => Promise.reject(new HermesError('Nothing is sent here.')), close: () => undefined };
  const client = createModelClient({ apiMode, baseUrl, model, stallTimeoutMs: 1, transport });
  return { provider, model, baseUrl, apiMode, contextLength: undefined, client };
}
