import { isJsonObject, type JsonObject, parseJson } from '../base/index.ts';
import { addressOf, commonHeaders } from './address.ts';
import { getText } from './get-text.ts';
import type { ListModelsOptions } from './list-models.ts';
import { WIRE_FORMATS } from './wire-formats.ts';

const LARGEST_LIST = 8 * 1024 * 1024;

/** All that an endpoint says about its models; undefined where it cannot be asked or says something else. */
export async function listModelEntries(options: ListModelsOptions): Promise<JsonObject[] | undefined> {
  const { apiMode, baseUrl, credential, quirks, timeoutMs } = options;
  if (!/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? '')) return undefined;
  const format = WIRE_FORMATS[apiMode];
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
