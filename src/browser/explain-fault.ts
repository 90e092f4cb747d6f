import { errorMessage } from '../base/index.ts';
import { shorten } from '../util/index.ts';
import { BrowserFailure } from './browser-failure.ts';
import { plainErrorMessage } from './start-browser.ts';

const MAX_FAULT_LENGTH = 300;
const NEW_SNAPSHOT_ADVICE = 'Take a new snapshot with browser_snapshot.';

export const NO_SUCH_REF = `The ref no longer exists on the page. ${NEW_SNAPSHOT_ADVICE}`;

/** Playwright and Chromium errors, and what they mean for the model. */
const FAULTS: readonly [RegExp, string][] = [
  [
    /intercepts pointer events/,
    'Another element, such as a banner or a menu, covers this element. Close the covering element first, or take a new snapshot.',
  ],
  [/not visible|outside of the viewport/, `The element is not visible, so you cannot use it. ${NEW_SNAPSHOT_ADVICE}`],
  [/not enabled|is disabled/, 'The element is disabled. Fill in the required fields first.'],
  [/not an? <(?:input|select)>|not editable|readonly/, 'The element is not editable. Choose a text field.'],
  [/Ref \S+ not found|strict mode|not attached/i, NO_SUCH_REF],
  [/did not find some options/, 'The drop-down list has no option with this label. Use a label from the snapshot.'],
  [/Unknown key/, 'Unknown key. Use names such as Enter, Tab, Escape, ArrowDown, Control+A.'],
  [/Download is starting|ERR_ABORTED.*download/i, 'The URL is a file download, which the browser does not support.'],
  [/ERR_NAME_NOT_RESOLVED|ERR_TUNNEL_CONNECTION_FAILED|ERR_CONNECTION/, 'Could not connect to the server.'],
  [/ERR_CERT|ERR_SSL/, 'The server certificate is not valid, so the page was not opened.'],
  [/ERR_TOO_MANY_REDIRECTS/, 'Too many redirects.'],
  [/ERR_INVALID_AUTH|ERR_HTTP_RESPONSE_CODE_FAILURE/, 'The server returned an error without a page.'],
];

/**
 * Turns an exception into a `BrowserFailure`. If the page no longer exists, `gone` says why and replaces any other
 * reason.
 */
export function explainFault(thrown: unknown, gone: string | undefined): Error {
  if (gone !== undefined) return new BrowserFailure(`${gone} Open it again with browser_navigate.`, { cause: thrown });
  if (thrown instanceof BrowserFailure) return thrown;
  const message = errorMessage(thrown);
  const known = FAULTS.find(([pattern]) => pattern.test(message))?.[1];
  return new BrowserFailure(known ?? shorten(plainErrorMessage(message), MAX_FAULT_LENGTH), { cause: thrown });
}
