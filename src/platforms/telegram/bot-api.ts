import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../base/index.ts';
import { ChannelError } from '../../contracts/index.ts';
import { rememberSecrets } from '../../util/index.ts';
import { type HttpClient, type HttpReply, toNetworkError } from '../http/index.ts';
import { encodeForm, type FormFile } from './multipart.ts';
import { faultOf } from './faults.ts';

export type BotApiOptions = {
  token: string;
  /** The URL before the token, such as `https://api.telegram.org/bot`. */
  baseUrl: string;
  fileBaseUrl: string;
  client: HttpClient;
  timeouts: { callMs: number; uploadMs: number; transferMs: number };
};

export type CallOptions = {
  signal: AbortSignal;
  /** Doing it twice is the same as doing it once, so that a failure is never `uncertain`. */
  isRepeatable?: boolean;
  /** How long the server may send nothing. */
  silenceMs?: number;
};

/** The methods of the Bot API. All failures are `ChannelError`s whose messages do not contain the token. */
export interface BotApi {
  call(method: string, parameters: JsonObject, options: CallOptions): Promise<JsonValue>;
  upload(method: string, parameters: JsonObject, file: FormFile, signal: AbortSignal): Promise<JsonValue>;
  download(path: string, options: { maxBytes: number; signal: AbortSignal }): Promise<Uint8Array>;
}

const MAX_RESPONSE = 64 * 1024 * 1024;
/** A token cannot contain characters with a meaning in a URL. */
const TOKEN = /^\d{1,20}:[\w-]{20,100}$/;

export function createBotApi(options: BotApiOptions): BotApi {
  const { token, baseUrl, fileBaseUrl, client, timeouts } = options;
  rememberSecrets([token]);
  const send = async (
    method: string,
    body: { content: string | Uint8Array; type: string },
    { signal, isRepeatable = false, silenceMs = timeouts.callMs }: CallOptions,
  ) => {
    requireToken(token);
    const reply = await client
      .send({
        method: 'POST',
        url: `${baseUrl}${token}/${method}`,
        headers: { 'content-type': body.type },
        body: body.content,
        silenceMs,
        timeoutMs: silenceMs + timeouts.transferMs,
        maxBytes: MAX_RESPONSE,
        signal,
      })
      .catch((error: unknown) => {
        throw toNetworkError(`Telegram: ${method}`, error, isRepeatable);
      });
    return readReply(method, reply, isRepeatable);
  };
  return {
    call: (method, parameters, callOptions) =>
      send(method, { content: JSON.stringify(parameters), type: 'application/json' }, callOptions),
    upload: (method, parameters, file, signal) =>
      send(method, encodeForm(parameters, file), { signal, silenceMs: timeouts.uploadMs }),
    async download(path, { maxBytes, signal }) {
      requireToken(token);
      const url = `${fileBaseUrl}${token}/${path.split('/').map(encodeURIComponent).join('/')}`;
      const request = { method: 'GET' as const, url, silenceMs: timeouts.callMs, timeoutMs: timeouts.uploadMs };
      const reply = await client.send({ ...request, maxBytes, signal }).catch((error: unknown) => {
        throw toNetworkError('Telegram: the download of a file', error, true);
      });
      if (reply.status === 200) return reply.body;
      throw new ChannelError(faultOf(reply.status, '', true), `Telegram: a file was not found (HTTP ${reply.status}).`);
    },
  };
}

function requireToken(token: string): void {
  if (TOKEN.test(token)) return;
  throw new ChannelError('fatal', 'The Telegram bot token is not valid.', {
    hint: 'A token looks like 123456789:ABC…; copy it again from @BotFather.',
  });
}

/** The result of a call, or its error. */
function readReply(method: string, { status, body }: HttpReply, isRepeatable: boolean): JsonValue {
  const answer = parseJson(body.toString('utf8'));
  if (isJsonObject(answer) && answer['ok'] === true && answer['result'] !== undefined) return answer['result'];
  if (isJsonObject(answer) && answer['ok'] === false) throw answeredError(method, status, answer, isRepeatable);
  if (status >= 400) throw new ChannelError(faultOf(status, '', isRepeatable), `Telegram: ${method}: HTTP ${status}.`);
  const fault = isRepeatable ? 'transient' : 'uncertain';
  throw new ChannelError(fault, `Telegram: the response to ${method} is not valid.`);
}

function answeredError(method: string, status: number, answer: JsonObject, isRepeatable: boolean): ChannelError {
  const code = typeof answer['error_code'] === 'number' ? answer['error_code'] : status;
  const description = typeof answer['description'] === 'string' ? answer['description'] : `error ${code}`;
  const parameters = isJsonObject(answer['parameters']) ? answer['parameters'] : {};
  const { retry_after: seconds, migrate_to_chat_id: movedTo } = parameters;
  const message = `Telegram: ${method}: ${description.slice(0, 300)}`;
  const fault = faultOf(code, description, isRepeatable);
  if (typeof movedTo === 'number') return new MovedChat(message, String(movedTo));
  const retryAfterMs = typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : undefined;
  const hint = code === 401 ? { hint: 'The token was revoked or is wrong. Get the current one from @BotFather.' } : {};
  return new ChannelError(fault, message, retryAfterMs === undefined ? hint : { retryAfterMs });
}

/** The group became a supergroup and has another id. */
export class MovedChat extends ChannelError {
  readonly chatId: string;

  constructor(message: string, chatId: string) {
    super('not_found', message);
    this.chatId = chatId;
  }
}
