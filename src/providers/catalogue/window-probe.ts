import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../base/index.ts';
import type { Credential } from '../../contracts/index.ts';
import { windowOf } from './endpoint-models.ts';

export type ProbeTarget = { baseUrl: string; model: string; credential?: Credential };

/** For all questions together. */
const PROBE_TIMEOUT_MS = 1_000;
const MAX_ANSWER_SIZE = 2 * 1024 * 1024;

/**
 * Asks a server on one's own machine how much its model reads: vLLM says it in its list of models, LM Studio in its
 * own one, llama.cpp among its properties. Undefined where none of them is known.
 */
export async function probeWindow(target: ProbeTarget): Promise<number | undefined> {
  const { origin } = new URL(target.baseUrl);
  const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
  const ask = (url: string) => askServer(url, target.credential, signal);
  const base = target.baseUrl.replace(/[?#].*$/, '').replace(/\/+$/, '');
  return (
    windowInList(await ask(`${base}/models`), target.model) ??
    windowInProperties(await ask(`${origin}/props`)) ??
    windowInList(await ask(`${origin}/api/v0/models`), target.model)
  );
}

async function askServer(url: string, credential: Credential | undefined, signal: AbortSignal) {
  const { getText } = await import('../../llm/index.ts');
  const limits = { timeoutMs: PROBE_TIMEOUT_MS, mostBytes: MAX_ANSWER_SIZE, signal };
  const answer = await getText({ url, credential, ...limits });
  return answer?.status === 200 ? parseJson(answer.text) : undefined;
}

function windowInList(answer: JsonValue | undefined, model: string): number | undefined {
  const list = isJsonObject(answer) && Array.isArray(answer['data']) ? answer['data'] : [];
  const named = list.filter((entry): entry is JsonObject => isJsonObject(entry) && entry['id'] === model)[0];
  return named && windowOf(named);
}

/** A server that serves one model calls it what it likes, so its properties are about the one we use. */
function windowInProperties(answer: JsonValue | undefined): number | undefined {
  const settings = isJsonObject(answer) ? answer['default_generation_settings'] : undefined;
  const window = isJsonObject(settings) ? settings['n_ctx'] : undefined;
  return Number.isSafeInteger(window) && (window as number) > 0 ? (window as number) : undefined;
}
