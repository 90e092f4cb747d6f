import { errorMessage } from '../base/index.ts';
import { BrowserFailure } from './browser-failure.ts';

/** How a URL is used. `byModel`: it is an argument of a call, not part of a page. */
export type AddressUse = { byModel: boolean; allowLocal: boolean };

/** Resolves a URL to the addresses that may be connected to. Throws if it must not be opened. */
export type AddressCheck = (url: string, use: AddressUse) => Promise<{ addresses: readonly string[] }>;

/** The browser guard of one context: which addresses its pages may reach. */
export interface BrowserGuard {
  /**
   * Checks a URL given by the model. A local URL may be opened, and its pages may then reach this machine. Remote
   * pages may never reach it, because otherwise every web page could talk to local programs.
   */
  admit(url: string): Promise<void>;
  /**
   * Whether a URL can be opened in this context. A local URL cannot be opened once a remote page was open, because
   * requests of that page may still be pending after it was closed.
   */
  fits(url: string): Promise<boolean>;
  /** Records a navigation. After a remote URL, this machine can no longer be reached. */
  visit(url: string): void;
  /**
   * Checks any request of a page, including redirects and subresources, and returns the addresses it may connect to.
   */
  check(url: string): Promise<readonly string[]>;
  /** Resolves when all pending checks are done. */
  settled(): Promise<void>;
  /** The refusals since the last call, one per host. */
  takeRefusals(): string[];
}

/** A page can trigger any number of refusals. */
const MAX_REFUSALS = 5;
/** Hosts that Chromium itself contacts about the forms of every page. Blocked silently. */
const BLOCKED_TELEMETRY_HOSTS = new Set(['content-autofill.googleapis.com', 'optimizationguide-pa.googleapis.com']);

/** Host names that always mean the local machine. */
const LOCAL_HOST = /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/;

export function createBrowserGuard(checkAddress: AddressCheck): BrowserGuard {
  let ownMachine = false;
  let wasElsewhere = false;
  /** Further host names that mean the local machine, as used by the model. */
  const ownHosts = new Set<string>();
  const refusals = new Map<string, string>();
  const running = new Set<Promise<unknown>>();

  const isOutside = (url: string) =>
    checkAddress(url, { byModel: true, allowLocal: false }).then(
      () => true,
      () => false,
    );

  async function look(url: string): Promise<readonly string[]> {
    const { host, hostname } = new URL(url);
    if (BLOCKED_TELEMETRY_HOSTS.has(hostname)) throw new BrowserFailure(`Requests to ${host} are blocked.`);
    try {
      return (await checkAddress(url, { byModel: false, allowLocal: ownMachine })).addresses;
    } catch (thrown) {
      if (refusals.size < MAX_REFUSALS) refusals.set(host, errorMessage(thrown));
      return refuse(thrown);
    }
  }

  return {
    async admit(url) {
      const outside = await isOutside(url);
      if (!outside) await checkAddress(url, { byModel: true, allowLocal: true }).catch(refuse);
      ownMachine = !outside && !wasElsewhere;
      wasElsewhere ||= outside;
      if (ownMachine) ownHosts.add(new URL(url).hostname);
    },
    fits: async (url) => !wasElsewhere || isOutside(url),
    visit(url) {
      const { protocol, hostname } = new URL(url);
      if (!/^https?:$/.test(protocol) || LOCAL_HOST.test(hostname) || ownHosts.has(hostname)) return;
      ownMachine = false;
      wasElsewhere = true;
    },
    check(url) {
      const checking = look(url);
      running.add(checking);
      void checking.catch(() => undefined).then(() => running.delete(checking));
      return checking;
    },
    async settled() {
      await Promise.allSettled(running);
    },
    takeRefusals() {
      const taken = [...refusals.values()];
      refusals.clear();
      return taken;
    },
  };
}

function refuse(thrown: unknown): never {
  throw new BrowserFailure(errorMessage(thrown), { cause: thrown });
}
