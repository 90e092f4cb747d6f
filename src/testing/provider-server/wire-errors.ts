import type { JsonObject } from '../../base/index.ts';
import type { WireError } from './wire.ts';

type StatusFacts = { message: string; openaiType: string; openaiCode: string | null; anthropicType: string };

const INVALID = 'invalid_request_error';

/** What the real services say for a status: their types and codes, our words. */
const STATUS_FACTS: Record<number, StatusFacts> = {
  400: facts('The request is not valid.', INVALID, null, INVALID),
  401: facts('The API key is not valid.', INVALID, 'invalid_api_key', 'authentication_error'),
  402: facts('The account has no credit left.', 'insufficient_quota', 'insufficient_quota', 'billing_error'),
  403: facts('The API key may not do this.', INVALID, 'permission_denied', 'permission_error'),
  404: facts('The model does not exist.', INVALID, 'model_not_found', 'not_found_error'),
  408: facts('The request took too long.', 'timeout', 'request_timeout', 'timeout_error'),
  413: facts('The request is too large.', INVALID, 'request_too_large', 'request_too_large'),
  422: facts('The request cannot be processed.', INVALID, null, INVALID),
  429: facts('Too many requests.', 'requests', 'rate_limit_exceeded', 'rate_limit_error'),
  500: facts('The server had an error.', 'server_error', null, 'api_error'),
  502: facts('The server behind the gateway gave a bad answer.', 'server_error', null, 'api_error'),
  503: facts('The service is overloaded.', 'server_error', 'service_unavailable', 'overloaded_error'),
  504: facts('The server behind the gateway did not answer.', 'server_error', 'timeout', 'timeout_error'),
  529: facts('The service is overloaded.', 'server_error', 'overloaded', 'overloaded_error'),
};

function facts(message: string, openaiType: string, openaiCode: string | null, anthropicType: string): StatusFacts {
  return { message, openaiType, openaiCode, anthropicType };
}

function statusFacts(status: number): StatusFacts {
  return STATUS_FACTS[status] ?? (STATUS_FACTS[status >= 500 ? 500 : 400] as StatusFacts);
}

export function defaultErrorMessage(status: number): string {
  return statusFacts(status).message;
}

/** `error` as OpenAI and those who follow it write it. */
export function openaiError(error: WireError): JsonObject {
  const { openaiType, openaiCode } = statusFacts(error.status);
  return {
    message: error.message,
    type: openaiType,
    param: error.parameter ?? null,
    code: error.code ?? openaiCode,
  };
}

export function anthropicErrorBody(error: WireError): JsonObject {
  const type = error.code ?? statusFacts(error.status).anthropicType;
  return { type: 'error', error: { type, message: error.message } };
}

/** Words and nothing else; a code of the script is put into them, because there is no other place. */
export function ollamaErrorBody({ message, code }: WireError): JsonObject {
  return { error: code === undefined ? message : `${message} (${code})` };
}
