import type { ToolStatus } from '../base/index.ts';

/** Thrown by a tool to end its call with a text for the model. Anything else thrown is a fault of the tool. */
class ToolStop extends Error {
  readonly status: ToolStatus;
  /** What the model reads: the message in the form of an error, unless the tool has a form of its own. */
  readonly content: string;

  constructor(status: ToolStatus, message: string, content = errorContent(message)) {
    super(message);
    this.name = new.target.name;
    this.status = status;
    this.content = content;
  }
}

/** The tool did its part and the answer is no: a missing file, a text that was not found. */
export class ToolFailure extends ToolStop {
  constructor(message: string) {
    super('error', message);
  }
}

/**
 * What was run failed, and its output says how: the model reads the output as it is. Only the status tells it from a
 * success, so that the same failure again and again is seen.
 */
export class ToolFailedOutput extends ToolStop {
  constructor(output: string) {
    super('error', output, output);
  }
}

/** Nobody allowed it. */
export class ToolDenied extends ToolStop {
  constructor(message: string) {
    super('denied', message);
  }
}

/** The turn was interrupted while it ran; the model reads what there is so far as it is. */
export class ToolInterrupted extends ToolStop {
  constructor(output: string) {
    super('interrupted', output, output);
  }
}

export function isToolStop(thrown: unknown): thrown is ToolStop {
  return thrown instanceof ToolStop;
}

/** The form in which a model reads that a call went wrong. */
export function errorContent(message: string): string {
  return JSON.stringify({ error: message });
}
