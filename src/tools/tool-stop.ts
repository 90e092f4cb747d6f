import type { ToolStatus } from '../base/index.ts';

/** Thrown by a tool to end its call with a text the model reads as it is. Anything else thrown is a fault of the tool. */
class ToolStop extends Error {
  readonly status: ToolStatus;

  constructor(status: ToolStatus, message: string) {
    super(message);
    this.name = new.target.name;
    this.status = status;
  }
}

/** The tool did its part and the answer is no: a missing file, a text that was not found. */
export class ToolFailure extends ToolStop {
  constructor(message: string) {
    super('error', message);
  }
}

/** Nobody allowed it. */
export class ToolDenied extends ToolStop {
  constructor(message: string) {
    super('denied', message);
  }
}

/** The turn was interrupted while it ran; the message holds what there is so far. */
export class ToolInterrupted extends ToolStop {
  constructor(message: string) {
    super('interrupted', message);
  }
}

export function isToolStop(thrown: unknown): thrown is ToolStop {
  return thrown instanceof ToolStop;
}

/** The form in which a model reads that a call went wrong. */
export function errorContent(message: string): string {
  return JSON.stringify({ error: message });
}
