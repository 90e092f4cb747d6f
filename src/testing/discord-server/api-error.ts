import type { JsonObject } from '../../base/index.ts';

/** A request that Discord answers with an error. */
export class ApiError extends Error {
  readonly status: number;
  readonly body: JsonObject;

  constructor(status: number, code: number, message: string, more: JsonObject = {}) {
    super(message);
    this.status = status;
    this.body = { message, code, ...more };
  }
}

/** An invalid field, as Discord reports it. */
export function invalidField(field: string, code: string, message: string): ApiError {
  const errors = { [field]: { _errors: [{ code, message }] } };
  return new ApiError(400, 50_035, 'Invalid Form Body', { errors });
}
