import { isJsonObject, type JsonObject, parseJson } from '../base/index.ts';
import type { ApiMode, Credential } from '../contracts/index.ts';
import { addressOf, commonHeaders } from './address.ts';
import { getText } from './get-text.ts';
import type { ModelQuirks } from './model-quirks.ts';
import { WIRE_FORMATS } from './wire-formats.ts';

export type ListModelsOptions = {
  apiMode: ApiMode;
  baseUrl: string;
  credential?: Credential;
  quirks?: ModelQuirks;
  timeoutMs: number;
};

const LARGEST_LIST = 8 * 1024 * 1024;
const MODELS_SHOWN = 500;

/** The names of the models an endpoint says it has; undefined where it cannot be asked or says something else. */
export async function listModels(options: ListModelsOptions): Promise<string[] | undefined> {
  const entries = await listModelEntries(options);
  const names = entries?.flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
  return names?.slice(0, MODELS_SHOWN);
}

/** What an endpoint says about its models; undefined where it cannot be asked or says something else. */
export async function listModelEntries(options: ListModelsOptions): Promise<JsonObject[] | undefined> {
  const { apiMode, baseUrl, credential, quirks, timeoutMs } = options;
  const format = WIRE_FORMATS[apiMode];
  if (!/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? '')) return undefined;
  const answer = await getText({
    url: addressOf(baseUrl, format, '/models').url,
    headers: commonHeaders(format, 'application/json'),
    credential,
    authHeader: quirks?.authHeader ?? format.authHeader,
    timeoutMs,
    mostBytes: LARGEST_LIST,
  });
  const list = answer?.status === 200 ? parseJson(answer.text) : undefined;
  if (!isJsonObject(list) || !Array.isArray(list['data'])) return undefined;
  return list['data'].filter(isJsonObject);
}
