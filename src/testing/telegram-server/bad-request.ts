import type { JsonObject } from '../../base/index.ts';

/** A call that Telegram answers with an error. */
export class BadRequest extends Error {
  readonly status: number;
  readonly parameters: JsonObject | undefined;

  constructor(reason: string, options: { status?: number; parameters?: JsonObject } = {}) {
    const status = options.status ?? 400;
    const kind = { 400: 'Bad Request', 403: 'Forbidden', 404: 'Not Found', 409: 'Conflict' }[status];
    super(kind === undefined ? reason : `${kind}: ${reason}`);
    this.status = status;
    this.parameters = options.parameters;
  }
}
