import { type JsonObject, type JsonValue, type ModelErrorKind, parseJson } from '../../base/index.ts';
import { asArray, asNumber, asObject, asObjects, asString, asText } from '../json-access.ts';

/** What is known about a failure before it is classified. */
export type FailureFacts = {
  /** Set if the code that detected the failure already knows its kind. */
  kind?: ModelErrorKind;
  status?: number;
  /** The error code and type of the provider, or the system's error code, unchanged. */
  codes?: readonly string[];
  /** The provider's message. */
  message: string;
  /** The parameter that the provider named. */
  parameter?: string;
  /** The context window, if the provider reports it in a separate field. */
  contextLimit?: number;
  retryAfterMs?: number;
};

/** Parses the body of a failed response: some form of JSON, an HTML page, or plain text. */
export function factsOfErrorText(text: string): FailureFacts {
  const parsed = parseJson(text);
  const body = asObject(Array.isArray(parsed) ? parsed[0] : parsed);
  if (body !== undefined) return factsOfErrorObject(body);
  if (parsed !== undefined && isEmptyValue(parsed)) return { message: '' };
  if (!/<html|<!doctype/i.test(text)) return { message: text.trim() };
  return { message: textOfPage(text), codes: ['web_page'] };
}

/** Parses an error inside a stream with status 200. Routers put the real status into the code. */
export function factsOfStreamError(body: JsonObject): FailureFacts {
  const facts = factsOfErrorObject(body);
  const status = Number(facts.codes?.find((code) => /^[45]\d\d$/.test(code)));
  return Number.isNaN(status) ? facts : { ...facts, status };
}

/** Finds the error object in a body, in any of the forms that providers use. */
function factsOfErrorObject(body: JsonObject): FailureFacts {
  const error = asObject(body.error) ?? asObject(asObjects(body.errors)[0]) ?? baseResponse(body) ?? body;
  const codes = [codeOf(error.code), asText(error.type), asText(error.status), codeOf(body.code), ...reasonsOf(error)];
  const facts: FailureFacts = { message: messageOf(body, error), codes: unique(codes) };
  const parameter = asText(error.param);
  if (parameter !== undefined) facts.parameter = parameter;
  const contextLimit = asNumber(error.n_ctx);
  if (contextLimit !== undefined) facts.contextLimit = contextLimit;
  const retryAfterMs = retryDelayOf(error);
  if (retryAfterMs !== undefined) facts.retryAfterMs = retryAfterMs;
  return facts;
}

/** MiniMax reports errors in a separate field of a response with status 200. */
function baseResponse(body: JsonObject): JsonObject | undefined {
  const response = asObject(body.base_resp);
  return response && { code: response.status_code ?? null, message: response.status_msg ?? null };
}

/** Google puts the reasons into a list next to the message. */
function reasonsOf(error: JsonObject): (string | undefined)[] {
  return asObjects(error.details).map((detail) => asText(detail.reason));
}

/** The retry delay in a body: Codex gives seconds, Google a duration in its details. */
function retryDelayOf(error: JsonObject): number | undefined {
  const delays = asObjects(error.details).map((detail) => asText(detail.retryDelay));
  const delay = delays.find((each) => each !== undefined) ?? '';
  const seconds = asNumber(error.resets_in_seconds) ?? Number.parseFloat(delay);
  return seconds > 0 ? Math.round(seconds * 1000) : undefined;
}

/** Whether a value contains only brackets and empty fields, which are not a useful message. */
function isEmptyValue(value: JsonValue): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isEmptyValue);
  return value === null || value === '';
}

/** The provider's message, or the whole body if there is none. */
function messageOf(body: JsonObject, error: JsonObject): string {
  const said =
    asText(error.message) ?? asText(body.error) ?? asText(body.message) ?? detailOf(body.detail) ?? asText(error.type);
  // A router's own message is often just "Provider returned error"; the provider's message is next to it.
  const raw = asObject(error.metadata)?.raw;
  const upstream = typeof raw === 'string' ? raw : raw === undefined ? '' : JSON.stringify(raw);
  const rest = isEmptyValue(body) ? '' : JSON.stringify(body);
  return [said ?? rest, upstream].filter((part) => part !== '').join(': ');
}

/** FastAPI's format: a sentence, or a list of locations and errors. */
function detailOf(detail: JsonValue | undefined): string | undefined {
  if (typeof detail === 'string') return detail;
  const parts = asObjects(detail).map((entry) => {
    const path = asArray(entry.loc)
      .map((step) => asString(step) ?? '')
      .filter((step) => step !== '' && step !== 'body')
      .join('.');
    return [path, asString(entry.msg) ?? ''].filter((part) => part !== '').join(': ');
  });
  return parts.length > 0 ? parts.join('; ') : undefined;
}

/** Only the title of a page is useful; its markup would fill the screen. */
function textOfPage(page: string): string {
  const title = /<title[^>]*>([^<]*)</i.exec(page)?.[1]?.trim();
  return title ? `The response is a web page titled "${title}".` : 'The response is a web page.';
}

function codeOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'number' ? String(value) : asText(value);
}

function unique(codes: readonly (string | undefined)[]): string[] {
  return [...new Set(codes.filter((code) => code !== undefined))];
}
