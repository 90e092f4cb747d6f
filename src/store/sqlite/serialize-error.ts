import { ConfigurationError, errorMessage, HermesError } from '../../base/index.ts';

/** An error as plain data, because errors passed between threads lose their class and our own fields. */
export type SerializedError = {
  kind: 'hermes' | 'configuration' | 'other';
  name: string;
  message: string;
  hint?: string;
  stack?: string;
  /** SQLite's result code. */
  errcode?: number;
  cause?: SerializedError;
};

/** The maximum depth of causes. */
const MAX_CAUSE_DEPTH = 4;

export function serializeError(thrown: unknown, depth = 0): SerializedError {
  if (!(thrown instanceof Error)) return { kind: 'other', name: 'Error', message: errorMessage(thrown) };
  const { name, message, stack, cause } = thrown;
  const packed: SerializedError = { kind: kindOf(thrown), name, message, stack };
  if (thrown instanceof HermesError) packed.hint = thrown.hint;
  if ('errcode' in thrown && typeof thrown.errcode === 'number') packed.errcode = thrown.errcode;
  if (cause !== undefined && depth < MAX_CAUSE_DEPTH) packed.cause = serializeError(cause, depth + 1);
  return packed;
}

export function deserializeError(packed: SerializedError): Error {
  const { kind, name, message, hint, stack, errcode } = packed;
  const cause = packed.cause && deserializeError(packed.cause);
  if (kind === 'hermes') return new HermesError(message, { hint, cause });
  if (kind === 'configuration') return new ConfigurationError(message, { hint, cause });
  const error = new Error(message, cause && { cause });
  // For an internal error the log should show where it was thrown, not where it was received.
  return Object.assign(error, { name, stack }, errcode === undefined ? {} : { errcode });
}

function kindOf(thrown: Error): SerializedError['kind'] {
  if (thrown instanceof ConfigurationError) return 'configuration';
  return thrown instanceof HermesError ? 'hermes' : 'other';
}
