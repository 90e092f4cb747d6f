import { isJsonObject, parseJson } from '../base/index.ts';
import type { ApiMode, Credential } from '../contracts/index.ts';
import { addressOf, commonHeaders } from './address.ts';
import type { ModelQuirks } from './model-quirks.ts';
import { createHttpTransport } from './transport/http-transport.ts';
import type { HttpRequest, NetworkVariables } from './transport/http-types.ts';
import { readText } from './transport/read-text.ts';
import { WIRE_FORMATS } from './wire-formats.ts';

export type ListModelsOptions = {
  apiMode: ApiMode;
  baseUrl: string;
  credential?: Credential;
  quirks?: ModelQuirks;
  variables?: NetworkVariables;
  timeoutMs: number;
};

const LARGEST_LIST = 8 * 1024 * 1024;
const MODELS_SHOWN = 500;

/** The names of the models an endpoint says it has; undefined where it cannot be asked or says something else. */
export async function listModels(options: ListModelsOptions): Promise<string[] | undefined> {
  const transport = createHttpTransport(options.variables);
  try {
    const response = await transport.send(requestFor(options));
    if (response.status !== 200) return undefined;
    const { text } = await readText(response, LARGEST_LIST);
    return namesIn(text);
  } catch {
    // It is only ever asked to help a person choose; whoever cannot be asked has no list.
    return undefined;
  } finally {
    transport.close();
  }
}

function requestFor({ apiMode, baseUrl, credential, quirks, timeoutMs }: ListModelsOptions): HttpRequest {
  const format = WIRE_FORMATS[apiMode];
  return {
    method: 'GET',
    url: addressOf(baseUrl, format, format.modelsPath ?? '/models').url,
    headers: commonHeaders(format, 'application/json'),
    body: '',
    credential,
    authHeader: quirks?.authHeader ?? format.authHeader,
    stallTimeoutMs: timeoutMs,
    signal: AbortSignal.timeout(timeoutMs),
  };
}

function namesIn(text: string): string[] | undefined {
  const answer = parseJson(text);
  if (!isJsonObject(answer) || !Array.isArray(answer['data'])) return undefined;
  const names = answer['data'].flatMap((entry) =>
    isJsonObject(entry) && typeof entry['id'] === 'string' ? [entry['id']] : [],
  );
  return names.slice(0, MODELS_SHOWN);
}
