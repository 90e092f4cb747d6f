import { ConfigurationError, errorMessage, HermesError } from '../../base/index.ts';

/** An error as plain data, because errors passed between threads lose their class and our own fields. */
export type CarriedError = {
  kind: 'hermes' | 'configuration' | 'other';
  name: string;
  message: string;
  hint?: string;
  stack?: string;
  /** SQLite's result code. */
  errcode?: number;
  cause?: CarriedError;
};

/** The maximum depth of causes. */
const DEEPEST = 4;

export function packError(thrown: unknown, depth = 0): CarriedError {
  if (!(thrown instanceof Error)) return { kind: 'other', name: 'Error', message: errorMessage(thrown) };
  const { name, message, stack, cause } = thrown;
  const packed: CarriedError = { kind: kindOf(thrown), name, message, stack };
  if (thrown instanceof HermesError) packed.hint = thrown.hint;
  if ('errcode' in thrown && typeof thrown.errcode === 'number') packed.errcode = thrown.errcode;
  if (cause !== undefined && depth < DEEPEST) packed.cause = packError(cause, depth + 1);
  return packed;
}

export function unpackError(packed: CarriedError): Error {
  const { kind, name, message, hint, stack, errcode } = packed;
  const cause = packed.cause && unpackError(packed.cause);
  if (kind === 'hermes') return new HermesError(message, { hint, cause });
  if (kind === 'configuration') return new ConfigurationError(message, { hint, cause });
  const error = new Error(message, cause && { cause });
  // For an internal error the log should show where it was thrown, not where it was received.
  return Object.assign(error, { name, stack }, errcode === undefined ? {} : { errcode });
}

function kindOf(thrown: Error): CarriedError['kind'] {
  if (thrown instanceof ConfigurationError) return 'configuration';
  return thrown instanceof HermesError ? 'hermes' : 'other';
}
