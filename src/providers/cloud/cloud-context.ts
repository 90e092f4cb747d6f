import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import {
  type Clock,
  isJsonObject,
  type JsonObject,
  ModelError,
  type ModelErrorKind,
  parseJson,
} from '../../base/index.ts';
import type { EnvironmentVariables, ProviderSettings } from '../../config/index.ts';
import { childEnvironment } from '../../environments/index.ts';
import type { TextRequest } from '../../llm/index.ts';
import { redactSecrets } from '../../util/index.ts';

/** What the login of a cloud service needs to find its credentials. */
export type CloudContext = {
  /** The display name of the provider. */
  name: string;
  variables: EnvironmentVariables;
  settings: ProviderSettings;
  clock: Clock;
};

/** A token or the keys of a signature, as long as they are valid. */
export type FreshToken = {
  secret: string;
  /** When it expires; undefined if it does not. */
  expiresAt?: number;
  headers?: Readonly<Record<string, string>>;
};

const REQUEST_TIMEOUT_MS = 20_000;
/** Metadata servers are next to the machine; elsewhere nothing responds. */
export const METADATA_TIMEOUT_MS = 1_000;
const COMMAND_TIMEOUT_MS = 60_000;

export type CloudResponse = { status: number; text: string; body: JsonObject };

/** Sends a request for a token. A metadata server is asked without the proxy, which could not reach it. */
export async function requestToken(
  { name, variables }: CloudContext,
  request: Omit<TextRequest, 'timeoutMs' | 'variables'> & { metadata?: true },
): Promise<CloudResponse> {
  const { requestText } = await import('../../llm/index.ts');
  const { metadata, ...sent } = request;
  const limits = metadata
    ? { timeoutMs: METADATA_TIMEOUT_MS, variables: {} }
    : { timeoutMs: REQUEST_TIMEOUT_MS, variables };
  const { status, text } = await requestText({ ...sent, ...limits }).catch((thrown: unknown) => {
    if (!(thrown instanceof ModelError)) throw thrown;
    throw cloudError('connection', `${name}: ${thrown.message}`, thrown.hint);
  });
  const body = parseJson(text);
  return { status, text, body: isJsonObject(body) ? body : {} };
}

/** Sends fields as a form, the usual format of token endpoints. */
export function requestWithForm(
  context: CloudContext,
  url: string,
  fields: Readonly<Record<string, string>>,
): Promise<CloudResponse> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
  return requestToken(context, { method: 'POST', url, headers, body: new URLSearchParams(fields).toString() });
}

/** Throws unless a response is successful; the message repeats what the server said. */
export function assertGranted(context: CloudContext, what: string, { status, text, body }: CloudResponse): void {
  if (status >= 200 && status < 300) return;
  const inner = isJsonObject(body['error']) ? body['error']['message'] : body['error'];
  const said = [body['error_description'], body['message'], body['Message'], inner].find(
    (one) => typeof one === 'string',
  );
  const words = redactSecrets(said ?? text)
    .replaceAll(/\s+/g, ' ')
    .slice(0, 300);
  throw cloudError(
    status >= 500 ? 'connection' : 'auth_permanent',
    `${context.name}: ${what} failed (HTTP ${status}): ${words}`,
  );
}

/** The text in a field; throws if there is none. */
export function requiredText(context: CloudContext, what: string, body: JsonObject, field: string): string {
  const value = body[field];
  if (typeof value === 'string' && value !== '') return value;
  throw cloudError('auth_permanent', `${context.name}: ${what} has no ${field}.`);
}

/** A failure that another credential cannot fix. Other routes are tried. */
export function cloudError(kind: ModelErrorKind, message: string, hint?: string): ModelError {
  const retryable = kind === 'connection';
  return new ModelError(
    { kind, message, retryable, compress: false, rotateCredential: false, fallBack: true },
    { hint },
  );
}

/** The text of a file; undefined if it does not exist. */
export async function readIfExists(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (thrown) {
    if (['ENOENT', 'ENOTDIR'].includes((thrown as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw thrown;
  }
}

/** Runs a program of the service with its own variables, but without the keys of other providers. */
export async function runProgram(
  { variables }: CloudContext,
  program: string,
  args: readonly string[],
  ownVariables: RegExp,
): Promise<string> {
  const own = Object.fromEntries(Object.entries(variables).filter(([name]) => ownVariables.test(name)));
  const env = { ...childEnvironment(variables), ...own };
  const { stdout } = await promisify(execFile)(program, args, { env, timeout: COMMAND_TIMEOUT_MS, windowsHide: true });
  return stdout;
}

/** The time of a date in text or in seconds; undefined if it is neither. */
export function timeOf(value: unknown): number | undefined {
  const time = typeof value === 'number' ? value * 1_000 : Date.parse(typeof value === 'string' ? value : '');
  return Number.isNaN(time) ? undefined : time;
}

/** When a token expires that is valid for a number of seconds from now. */
export function expiryAfter({ clock }: CloudContext, seconds: unknown): number {
  const valid = Number(seconds);
  return clock.now() + (Number.isFinite(valid) && valid > 0 ? valid : 300) * 1_000;
}
