import { type JsonObject, type JsonValue, type ModelErrorKind, parseJson } from '../../base/index.ts';
import { asArray, asNumber, asObject, asObjects, asString, asText } from '../json-access.ts';

/** What is known of a failure before it is classified. */
export type FailureFacts = {
  /** Set where the place that noticed the failure knows its kind better than any pattern. */
  kind?: ModelErrorKind;
  status?: number;
  /** The provider's error code and type, or the system's error code, as they came. */
  codes?: readonly string[];
  /** The provider's own words. */
  message: string;
  /** The parameter the provider points at. */
  parameter?: string;
  /** The context window, where the provider says it in a field of its own. */
  contextLimit?: number;
  retryAfterMs?: number;
};

/** What the body of a failed response says: JSON of some kind, a page, or plain words. */
export function factsOfErrorText(text: string): FailureFacts {
  const parsed = parseJson(text);
  const body = asObject(Array.isArray(parsed) ? parsed[0] : parsed);
  if (body !== undefined) return factsOfErrorObject(body);
  if (parsed !== undefined && saysNothing(parsed)) return { message: '' };
  if (!/<html|<!doctype/i.test(text)) return { message: text.trim() };
  return { message: textOfPage(text), codes: ['web_page'] };
}

/** What an error inside a 200 stream says. Routers put the real status into the code. */
export function factsOfStreamError(body: JsonObject): FailureFacts {
  const facts = factsOfErrorObject(body);
  const status = Number(facts.codes?.find((code) => /^[45]\d\d$/.test(code)));
  return Number.isNaN(status) ? facts : { ...facts, status };
}

/** What an error object says, wherever the provider puts it. */
function factsOfErrorObject(body: JsonObject): FailureFacts {
  const error = asObject(body.error) ?? asObject(asObjects(body.errors)[0]) ?? baseResponse(body) ?? body;
  const codes = [codeOf(error.code), asText(error.type), asText(error.status), codeOf(body.code), ...reasonsOf(error)];
  const facts: FailureFacts = { message: messageOf(body, error), codes: unique(codes) };
  const parameter = asText(error.param);
  if (parameter !== undefined) facts.parameter = parameter;
  const contextLimit = asNumber(error.n_ctx);
  if (contextLimit !== undefined) facts.contextLimit = contextLimit;
  const retryAfterMs = waitOf(error);
  if (retryAfterMs !== undefined) facts.retryAfterMs = retryAfterMs;
  return facts;
}

/** MiniMax says with a field of its own, in an answer that went well for HTTP, that it did not. */
function baseResponse(body: JsonObject): JsonObject | undefined {
  const response = asObject(body.base_resp);
  return response && { code: response.status_code ?? null, message: response.status_msg ?? null };
}

/** Google's reasons stand in a list beside the message. */
function reasonsOf(error: JsonObject): (string | undefined)[] {
  return asObjects(error.details).map((detail) => asText(detail.reason));
}

/** How long to wait, where a body says it: Codex in seconds, Google as a duration in its list of details. */
function waitOf(error: JsonObject): number | undefined {
  const delays = asObjects(error.details).map((detail) => asText(detail.retryDelay));
  const delay = delays.find((each) => each !== undefined) ?? '';
  const seconds = asNumber(error.resets_in_seconds) ?? Number.parseFloat(delay);
  return seconds > 0 ? Math.round(seconds * 1000) : undefined;
}

/** Brackets and empty fields are no reason, and read as one they only puzzle. */
function saysNothing(value: JsonValue): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).every(saysNothing);
  return value === null || value === '';
}

/** The words themselves; without any, the whole body is better than nothing. */
function messageOf(body: JsonObject, error: JsonObject): string {
  const said =
    asText(error.message) ?? asText(body.error) ?? asText(body.message) ?? detailOf(body.detail) ?? asText(error.type);
  // A router's own message is often just "Provider returned error"; what the provider said is beside it.
  const raw = asObject(error.metadata)?.raw;
  const upstream = typeof raw === 'string' ? raw : raw === undefined ? '' : JSON.stringify(raw);
  const rest = saysNothing(body) ? '' : JSON.stringify(body);
  return [said ?? rest, upstream].filter((part) => part !== '').join(': ');
}

/** FastAPI's form: a sentence, or a list of places with what is wrong there. */
function detailOf(detail: JsonValue | undefined): string | undefined {
  if (typeof detail === 'string') return detail;
  const parts = asObjects(detail).map((entry) => {
    const place = asArray(entry.loc)
      .map((step) => asString(step) ?? '')
      .filter((step) => step !== '' && step !== 'body')
      .join('.');
    return [place, asString(entry.msg) ?? ''].filter((part) => part !== '').join(': ');
  });
  return parts.length > 0 ? parts.join('; ') : undefined;
}

/** Of a page only its title helps; the rest would fill the screen with markup. */
function textOfPage(page: string): string {
  const title = /<title[^>]*>([^<]*)</i.exec(page)?.[1]?.trim();
  return title ? `The answer is a web page titled "${title}".` : 'The answer is a web page.';
}

function codeOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'number' ? String(value) : asText(value);
}

function unique(codes: readonly (string | undefined)[]): string[] {
  return [...new Set(codes.filter((code) => code !== undefined))];
}
