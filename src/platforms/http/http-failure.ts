import { HermesError } from '../../base/index.ts';

/** A request without a complete response. */
export class HttpFailure extends HermesError {
  /** Whether the server may have received the request. */
  readonly mayHaveArrived: boolean;

  constructor(message: string, options: { mayHaveArrived: boolean; hint?: string }) {
    super(message, options);
    this.mayHaveArrived = options.mayHaveArrived;
  }
}
