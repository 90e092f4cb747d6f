import { isJsonObject, type JsonObject, parseJson } from '../base/index.ts';
import type { ApiMode, Credential } from '../contracts/index.ts';
import { addressOf, commonHeaders } from './address.ts';
import type { ModelQuirks } from './model-quirks.ts';
import { getText, type TextRequest } from './request-text.ts';
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
  const { wanted = [] } = options;
  const request = listRequest(options);
  const answer = request && (await getText(request));
  const list = answer?.status === 200 ? entriesIn(answer.text) : undefined;
  return list?.filter((entry) => wanted.every((test) => passes(entry, test)));
}

/** What is sent to ask for the list; undefined where there is none to ask for. */
export function listRequest(options: ListModelsOptions): TextRequest | undefined {
  const { apiMode, baseUrl } = options;
  const path = options.path ?? WIRE_FORMATS[apiMode].modelsPath ?? '/models';
  if (path === false || !/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? '')) return undefined;
  return { ...plainRequest(options, path), mostBytes: LARGEST_LIST };
}

/** A request to a path of an endpoint, known as every other to it. */
export function plainRequest(options: ListModelsOptions, path: string): TextRequest {
  const { apiMode, baseUrl, credential, quirks, headers, timeoutMs, variables } = options;
  const format = WIRE_FORMATS[apiMode];
  return {
    url: addressOf(baseUrl, format, path).url,
    headers: { ...commonHeaders(format, 'application/json'), ...headers },
    variables,
    credential,
    authHeader: quirks?.authHeader ?? format.authHeader,
    timeoutMs,
  };
}

/** The entries of a list of models; undefined where the text is none. */
export function entriesIn(text: string): JsonObject[] | undefined {
  const list = parseJson(text);
  return isJsonObject(list) && Array.isArray(list['data']) ? list['data'].filter(isJsonObject) : undefined;
}

function passes(entry: JsonObject, { field, value }: { field: string; value: string }): boolean {
  const said = entry[field];
  return Array.isArray(said) ? said.includes(value) : said === value;
}
