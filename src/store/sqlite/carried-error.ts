import { ConfigurationError, errorMessage, HermesError } from '../../base/index.ts';

/** An error as plain data: what goes from one thread to another keeps no class and none of our own fields. */
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

/** Deeper than this nobody looks for a cause. */
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
  // A fault of ours: the log should show where it happened, and not where it arrived.
  return Object.assign(error, { name, stack }, errcode === undefined ? {} : { errcode });
}

function kindOf(thrown: Error): CarriedError['kind'] {
  if (thrown instanceof ConfigurationError) return 'configuration';
  return thrown instanceof HermesError ? 'hermes' : 'other';
}
