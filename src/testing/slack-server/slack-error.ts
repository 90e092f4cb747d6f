import type { JsonObject } from '../../base/index.ts';

/** A call that Slack answers with an error. */
export class SlackError extends Error {
  readonly details: JsonObject;

  constructor(error: string, details: JsonObject = {}) {
    super(error);
    this.details = details;
  }
}
