import { isJsonObject, type JsonObject, parseJson } from '../base/index.ts';
import type { ApiMode, BoundOptions, Credential } from '../contracts/index.ts';
import { callUrl, commonHeaders, endpointUrl } from './endpoint-url.ts';
import type { ModelQuirks } from './model-quirks.ts';
import { getText, requestText, type TextResponse, type TextRequest } from './request-text.ts';
import type { NetworkVariables } from './transport/http-types.ts';
import type { WireFormat } from './wire-format.ts';
import { WIRE_FORMATS } from './wire-formats.ts';

export type ListModelsOptions = {
  apiMode: ApiMode | 'bedrock_converse';
  /** The implementation of the API mode, if it is loaded on demand. */
  format?: WireFormat;
  baseUrl: string;
  /** The model, for endpoints that have it in the path of a call. */
  model?: string;
  credential?: Credential;
  quirks?: ModelQuirks;
  headers?: Readonly<Record<string, string>>;
  bound?: BoundOptions;
  /** The path of the model list; `false` if there is none. Defaults to that of the API mode. */
  path?: string | false;
  /** Conditions for an entry: the field must have this value or, if it is a list, contain it. */
  wanted?: readonly { field: string; value: string }[];
  variables?: NetworkVariables;
  timeoutMs: number;
};

const MAX_LIST_SIZE = 8 * 1024 * 1024;
const MODELS_SHOWN = 500;

/** The names of the models of an endpoint; undefined if it does not respond or returns something else. */
export async function listModels(options: ListModelsOptions): Promise<string[] | undefined> {
  const entries = await listModelEntries(options);
  const names = entries?.flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
  return names?.slice(0, MODELS_SHOWN);
}

/** The model entries of an endpoint; undefined if it does not respond or returns something else. */
export async function listModelEntries(options: ListModelsOptions): Promise<JsonObject[] | undefined> {
  const { wanted = [] } = options;
  const request = listRequest(options);
  const answer = request && (await getText(request));
  const list = answer?.status === 200 ? entriesIn(answer.text) : undefined;
  return list?.filter((entry) => wanted.every((test) => passes(entry, test)));
}

/** The request for the model list; undefined if the endpoint has none. */
function listRequest(options: ListModelsOptions): TextRequest | undefined {
  const { baseUrl } = options;
  const path = options.path ?? formatOf(options).modelsPath ?? '/models';
  if (path === false || !/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? '')) return undefined;
  return { ...plainRequest(options, path), maxBytes: MAX_LIST_SIZE };
}

function formatOf({ format, apiMode }: ListModelsOptions): WireFormat {
  return format ?? WIRE_FORMATS[apiMode as ApiMode];
}

/** A request to a path of an endpoint, with the usual headers and the credential. */
function plainRequest(options: ListModelsOptions, path: string): TextRequest {
  const { baseUrl, credential, quirks, headers, bound, timeoutMs, variables } = options;
  const format = formatOf(options);
  return {
    url: endpointUrl(baseUrl, format, path).url,
    headers: { ...commonHeaders(format, 'application/json'), ...headers },
    variables,
    credential,
    bound,
    authHeader: quirks?.authHeader ?? format.authHeader,
    timeoutMs,
  };
}

/** The entries of a model list; undefined if the text is something else. */
function entriesIn(text: string): JsonObject[] | undefined {
  const list = parseJson(text);
  return isJsonObject(list) && Array.isArray(list['data']) ? list['data'].filter(isJsonObject) : undefined;
}

function passes(entry: JsonObject, { field, value }: { field: string; value: string }): boolean {
  const said = entry[field];
  return Array.isArray(said) ? said.includes(value) : said === value;
}

/** The result of probing an endpoint without a paid call. */
export type ProbeResult = {
  /** The names in its model list. */
  models?: string[];
  /** The kind of response that arrived instead of a model list. */
  refusal?: 'key' | 'page' | 'nothing_there' | 'moved' | 'busy' | 'broken';
  status: number;
  /** The time from the `Date` header. */
  date?: number;
};

/**
 * Requests the model list. If there is none, it sends a call without content, which a model API rejects with its own
 * error and any other server does not understand. Throws a `ModelError` if there is no response.
 */
export async function probeEndpoint(options: ListModelsOptions): Promise<ProbeResult> {
  const until = Date.now() + options.timeoutMs;
  const request = listRequest(options);
  const listed = request && (await requestText(request));
  const models = listed?.status === 200 ? namesIn(listed.text) : undefined;
  if (listed !== undefined && (models !== undefined || !isInconclusive(listed))) return describe(listed, models);
  const { baseUrl, model = '', quirks } = options;
  const { url } = callUrl(baseUrl, formatOf(options), { model, quirks, streamed: false });
  const call = { ...plainRequest(options, ''), url, timeoutMs: Math.max(1_000, until - Date.now()) };
  const headers = { ...call.headers, 'content-type': 'application/json' };
  return describe(await requestText({ ...call, headers, method: 'POST', body: '{}' }));
}

/**
 * Whether the response does not show if the base URL is right: there is no model list at this path, but there may be
 * a model API.
 */
function isInconclusive(answer: TextResponse): boolean {
  return [200, 400, 404, 405, 501].includes(answer.status) && !isPage(answer);
}

function namesIn(text: string): string[] | undefined {
  return entriesIn(text)?.flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
}

function describe(answer: TextResponse, models?: string[]): ProbeResult {
  const date = Date.parse(answer.header('date') ?? '');
  const { status } = answer;
  const refusal = models === undefined ? rejectionOf(answer) : undefined;
  return { status, models, refusal, date: Number.isNaN(date) ? undefined : date };
}

function rejectionOf(answer: TextResponse): ProbeResult['refusal'] {
  const { status } = answer;
  if (isPage(answer)) return 'page';
  if (status === 401 || status === 403) return 'key';
  if (status === 404 || status === 405) return 'nothing_there';
  if (status >= 300 && status < 400) return 'moved';
  if (status === 429) return 'busy';
  return status >= 500 ? 'broken' : undefined;
}

function isPage(answer: TextResponse): boolean {
  return /^text\/html/i.test(answer.header('content-type') ?? '') || /^\s*<(?:!doctype|html)/i.test(answer.text);
}
