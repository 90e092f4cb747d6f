import { errorMessage } from '../base/index.ts';
import { shorten } from '../util/index.ts';
import { BrowserFailure } from './browser-failure.ts';
import { plainFault } from './start-browser.ts';

const MAX_FAULT_LENGTH = 300;
const LOOK_AGAIN = 'Take a new one with browser_snapshot.';

export const NO_SUCH_REF = `There is no such ref in the page as it is now. ${LOOK_AGAIN}`;

/** What the words of the browser mean for whoever called. */
const FAULTS: readonly [RegExp, string][] = [
  [
    /intercepts pointer events/,
    'Something lies over the element, such as a notice or a menu. Close that first, or take a new snapshot.',
  ],
  [/not visible|outside of the viewport/, `The element cannot be seen, so it cannot be used. ${LOOK_AGAIN}`],
  [/not enabled|is disabled/, 'The element is disabled. Fill in first what the page waits for.'],
  [/not an? <(?:input|select)>|not editable|readonly/, 'Nothing can be typed into that element. Choose a field.'],
  [/Ref \S+ not found|strict mode|not attached/i, NO_SUCH_REF],
  [/did not find some options/, 'That field offers no such choice. Type one of those that the snapshot shows.'],
  [/Unknown key/, 'There is no such key. Names are those of the web: Enter, Tab, Escape, ArrowDown, Control+A.'],
  [/Download is starting|ERR_ABORTED.*download/i, 'That address is a file to download, which the browser does not do.'],
  [/ERR_NAME_NOT_RESOLVED|ERR_TUNNEL_CONNECTION_FAILED|ERR_CONNECTION/, 'The address could not be reached.'],
  [/ERR_CERT|ERR_SSL/, 'The certificate of that server is not valid, so the page was not opened.'],
  [/ERR_TOO_MANY_REDIRECTS/, 'The address sends from one to the next without end.'],
  [/ERR_INVALID_AUTH|ERR_HTTP_RESPONSE_CODE_FAILURE/, 'The server answered with an error and without a page.'],
];

/** `gone`: why there is no page any longer, which then is all there is to say. */
export function explainFault(thrown: unknown, gone: string | undefined): Error {
  if (gone !== undefined) return new BrowserFailure(`${gone} Open it again with browser_navigate.`, { cause: thrown });
  if (thrown instanceof BrowserFailure) return thrown;
  const message = errorMessage(thrown);
  const known = FAULTS.find(([pattern]) => pattern.test(message))?.[1];
  return new BrowserFailure(known ?? shorten(plainFault(message), MAX_FAULT_LENGTH), { cause: thrown });
}
