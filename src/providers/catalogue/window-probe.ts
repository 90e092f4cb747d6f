import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../base/index.ts';
import type { BoundOptions, Credential } from '../../contracts/index.ts';
import { windowOf } from './endpoint-models.ts';

export type ProbeTarget = {
  baseUrl: string;
  model: string;
  credential?: Credential | undefined;
  bound?: BoundOptions | undefined;
};

/** Timeout for all requests of a probe together. */
const PROBE_TIMEOUT_MS = 1_000;
const MAX_ANSWER_SIZE = 2 * 1024 * 1024;

/**
 * Asks a local server for the context window of its model: vLLM reports it in its model list, LM Studio in its own
 * list, llama.cpp in its properties. Undefined for any other server.
 */
export async function probeWindow(target: ProbeTarget): Promise<number | undefined> {
  const { origin } = new URL(target.baseUrl);
  const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
  const ask = (url: string) => requestJson(url, target, signal);
  const base = target.baseUrl.replace(/[?#].*$/, '').replace(/\/+$/, '');
  return (
    windowInList(await ask(`${base}/models`), target.model) ??
    windowInProperties(await ask(`${origin}/props`)) ??
    windowInList(await ask(`${origin}/api/v0/models`), target.model)
  );
}

async function requestJson(url: string, { credential, bound }: ProbeTarget, signal: AbortSignal) {
  const { getText } = await import('../../llm/index.ts');
  const limits = { timeoutMs: PROBE_TIMEOUT_MS, maxBytes: MAX_ANSWER_SIZE, signal };
  const answer = await getText({ url, credential, bound, ...limits });
  return answer?.status === 200 ? parseJson(answer.text) : undefined;
}

function windowInList(answer: JsonValue | undefined, model: string): number | undefined {
  const list = isJsonObject(answer) && Array.isArray(answer['data']) ? answer['data'] : [];
  const named = list.filter((entry): entry is JsonObject => isJsonObject(entry) && entry['id'] === model)[0];
  return named && windowOf(named);
}

/** The context window in llama.cpp's properties. The server has a single model under any name, so they always apply. */
function windowInProperties(answer: JsonValue | undefined): number | undefined {
  const settings = isJsonObject(answer) ? answer['default_generation_settings'] : undefined;
  const window = isJsonObject(settings) ? settings['n_ctx'] : undefined;
  return Number.isSafeInteger(window) && (window as number) > 0 ? (window as number) : undefined;
}
