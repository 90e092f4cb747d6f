import { HermesError } from '../../base/index.ts';
import { ChannelError } from '../../contracts/index.ts';

/** A request without a complete response. */
export class HttpFailure extends HermesError {
  /** Whether the server may have received the request. */
  readonly mayHaveArrived: boolean;

  constructor(message: string, options: { mayHaveArrived: boolean; hint?: string }) {
    super(message, options);
    this.mayHaveArrived = options.mayHaveArrived;
  }
}

/**
 * The `ChannelError` of a request that failed before there was a response. `what` names the platform and the call.
 * `isRepeatable`: doing it twice is the same as doing it once.
 */
export function toNetworkError(what: string, error: unknown, isRepeatable: boolean): unknown {
  if (!(error instanceof HermesError)) return error;
  const hint = error.hint === undefined ? {} : { hint: error.hint };
  // A proxy or a file with certificates that is configured wrongly.
  if (!(error instanceof HttpFailure)) return new ChannelError('fatal', error.message, hint);
  const fault = error.mayHaveArrived && !isRepeatable ? 'uncertain' : 'transient';
  return new ChannelError(fault, `${what} failed: ${error.message}.`, hint);
}
