import { isJsonObject, type JsonObject, parseJson } from '../base/index.ts';
import type { ApiMode, Credential } from '../contracts/index.ts';
import { addressOf, commonHeaders } from './address.ts';
import type { ModelQuirks } from './model-quirks.ts';
import { getText } from './request-text.ts';
import type { NetworkVariables } from './transport/http-types.ts';
import { WIRE_FORMATS } from './wire-formats.ts';

export type ListModelsOptions = {
  apiMode: ApiMode;
  baseUrl: string;
  credential?: Credential;
  quirks?: ModelQuirks;
  headers?: Readonly<Record<string, string>>;
  /** `false` where there is no list to ask for; what the API mode has unless told otherwise. */
  path?: string | false;
  /** Fields of an entry with the value that each must have, or have among others. */
  wanted?: readonly { field: string; value: string }[];
  variables?: NetworkVariables;
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

/** All that an endpoint says about its models; undefined where it cannot be asked or says something else. */
export async function listModelEntries(options: ListModelsOptions): Promise<JsonObject[] | undefined> {
  const { apiMode, baseUrl, credential, quirks, headers, wanted = [], timeoutMs, variables } = options;
  const format = WIRE_FORMATS[apiMode];
  const path = options.path ?? format.modelsPath ?? '/models';
  if (path === false || !/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? '')) return undefined;
  const answer = await getText({
    url: addressOf(baseUrl, format, path).url,
    headers: { ...commonHeaders(format, 'application/json'), ...headers },
    variables,
    credential,
    authHeader: quirks?.authHeader ?? format.authHeader,
    timeoutMs,
    mostBytes: LARGEST_LIST,
  });
  const list = answer?.status === 200 ? parseJson(answer.text) : undefined;
  if (!isJsonObject(list) || !Array.isArray(list['data'])) return undefined;
  return list['data'].filter(isJsonObject).filter((entry) => wanted.every((test) => passes(entry, test)));
}

function passes(entry: JsonObject, { field, value }: { field: string; value: string }): boolean {
  const said = entry[field];
  return Array.isArray(said) ? said.includes(value) : said === value;
}
