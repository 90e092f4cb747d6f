import type { ModelErrorKind } from '../../base/index.ts';

/** What is known of a failure before it is classified. */
export type FailureFacts = {
  /** Set where the place that noticed the failure knows its kind better than any pattern. */
  kind?: ModelErrorKind;
  status?: number;
  /** The provider's error code and type, or the system's error code, as they came. */
  codes?: readonly string[];
  /** The provider's own words. */
  message: string;
  /** The parameter the provider points at. */
  parameter?: string;
  /** The context window, where the provider says it in a field of its own. */
  contextLimit?: number;
  retryAfterMs?: number;
};
