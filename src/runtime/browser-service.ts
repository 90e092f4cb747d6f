import { type AddressCheck, type Browsers, createBrowsers, findBrowser } from '../browser/index.ts';
import type { Clock } from '../base/index.ts';
import { DEFAULT_BROWSER, type Settings } from '../config/index.ts';
import type { Logger } from '../contracts/index.ts';
import { createSiteBlock } from './site-block.ts';

/** Prepares the browser of the process without starting it; undefined if none was found or it is disabled. */
export function openBrowsers(settings: Settings, parts: { clock: Clock; logger: Logger }): Browsers | undefined {
  const browser = settings.browser ?? DEFAULT_BROWSER;
  const found = findBrowser(browser);
  if (found === undefined) return undefined;
  const checkAddress = addressCheck(settings);
  return createBrowsers({ settings: browser, found, checkAddress, ...parts });
}

/** The same URL rules as for web tools, except that pages on this machine may be opened. */
function addressCheck({ allowPrivateUrls = false, blockedSites, browser = DEFAULT_BROWSER }: Settings): AddressCheck {
  const isBlocked = createSiteBlock(blockedSites);
  const allowPrivate = allowPrivateUrls || browser.allowPrivate;
  return async (url, { byModel, allowLocal }) => {
    const { checkUrl } = await import('../tools/safe-fetch/index.ts');
    return checkUrl(url, { allowPrivate, allowLoopback: allowLocal, mayHoldKey: !byModel, isBlocked });
  };
}
