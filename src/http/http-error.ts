import { HermesError, type JsonObject } from '../base/index.ts';

/** A request that is refused. Its message is sent to the client. */
export class HttpError extends HermesError {
  readonly status: number;
  /** A short name of the problem for programs, such as `body_too_large`. */
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The field of the body that is not valid. */
  readonly field: string | undefined;

  constructor(
    status: number,
    code: string,
    message: string,
    headers: Readonly<Record<string, string>> = {},
    field?: string,
  ) {
    super(message);
    this.field = field;
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
};

/** The body of every error, in the format of OpenAI's API, which clients of the later surfaces expect. */
export function errorBody(status: number, code: string, message: string, field?: string): JsonObject {
  const type = TYPES[status] ?? (status >= 500 ? 'server_error' : 'invalid_request_error');
  return { error: { message, type, param: field ?? null, code } };
}
