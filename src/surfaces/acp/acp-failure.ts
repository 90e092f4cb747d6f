import { errorMessage, HermesError, type JsonObject } from '../../base/index.ts';
import { redactSecrets } from '../../util/index.ts';
import type { AcpError } from './acp-server-protocol.ts';

const CODES = { invalidParams: -32_602, internal: -32_603, authRequired: -32_000, notFound: -32_002 } as const;

/** An error with a code of the protocol. */
export class AcpFailure extends HermesError {
  readonly code: number;
  readonly data: JsonObject;

  constructor(kind: keyof typeof CODES, message: string, { hint, ...data }: { hint?: string } & JsonObject = {}) {
    super(message, hint === undefined ? {} : { hint });
    this.code = CODES[kind];
    this.data = data;
  }
}

export function unknownSession(sessionId: string): AcpFailure {
  return new AcpFailure('notFound', `There is no session "${sessionId}".`, {
    sessionId,
    hint: 'List the sessions, or start a new one.',
  });
}

export function noModel(): AcpFailure {
  return new AcpFailure('authRequired', 'No model is configured.', { hint: 'Run `hermes setup` in a terminal.' });
}

/** Describes any error to the client: what happened and what to do. Bugs go to the log with their stack trace. */
export function describeError(thrown: unknown, logInternal: (thrown: unknown) => void): AcpError {
  if (!(thrown instanceof HermesError)) logInternal(thrown);
  const hint = thrown instanceof HermesError ? thrown.hint : 'This is a bug in Hermes. The log has the details.';
  const text = [errorMessage(thrown), hint].filter((part) => part !== undefined).join(' ');
  const own = thrown instanceof AcpFailure ? thrown : undefined;
  return {
    code: own?.code ?? CODES.internal,
    message: redactSecrets(text),
    data: { ...own?.data, ...(hint !== undefined && { hint: redactSecrets(hint) }) },
  };
}
