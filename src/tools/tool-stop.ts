import type { ToolStatus } from '../base/index.ts';

/** Thrown by a tool to end its call with a text for the model. Any other exception is a bug of the tool. */
class ToolStop extends Error {
  readonly status: ToolStatus;
  /** What the model reads: `{ error: message }` unless the tool gives its own text. */
  readonly content: string;
  /** Hermes wrote the whole text, so it is not delimited as untrusted. */
  readonly isOwnText: boolean = true;

  constructor(status: ToolStatus, message: string, content = errorContent(message)) {
    super(message);
    this.name = new.target.name;
    this.status = status;
    this.content = content;
  }
}

/** An expected failure, such as a missing file or a text that was not found. */
export class ToolFailure extends ToolStop {
  constructor(message: string) {
    super('error', message);
  }
}

/** A failure whose message quotes text by others, such as the error of a server. */
export class QuotingFailure extends ToolFailure {
  override readonly isOwnText = false;
}

/** A result in which Hermes wrote everything, from a tool that otherwise returns untrusted text. */
export class OwnText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * The command or script failed. The model reads its output as it is; the status lets the repetition guard detect
 * repeated failures.
 */
export class ToolFailedOutput extends ToolStop {
  override readonly isOwnText = false;

  constructor(output: string) {
    super('error', output, output);
  }
}

/** The operation was not approved. */
export class ToolDenied extends ToolStop {
  constructor(message: string) {
    super('denied', message);
  }
}

/** The turn was interrupted during the call. The model reads the output so far. */
export class ToolInterrupted extends ToolStop {
  override readonly isOwnText = false;

  constructor(output: string) {
    super('interrupted', output, output);
  }
}

export function isToolStop(thrown: unknown): thrown is ToolStop {
  return thrown instanceof ToolStop;
}

/** The error format that models read. */
export function errorContent(message: string): string {
  return JSON.stringify({ error: message });
}
