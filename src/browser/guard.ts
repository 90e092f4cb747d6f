import { errorMessage } from '../base/index.ts';
import { BrowserFailure } from './browser-failure.ts';

/** What an address is asked for. `byModel`: it was given with a call, and is no part of a page. */
export type AddressUse = { byModel: boolean; ownMachine: boolean };

/** Says which addresses of the network a URL leads to; throws where it must not be opened. */
export type AddressCheck = (url: string, use: AddressUse) => Promise<{ addresses: readonly string[] }>;

/** What pages of one context may reach. */
export interface Guard {
  /**
   * An address that the model gave. One of this machine may be opened, and its pages may then reach this machine; pages
   * from elsewhere never do, or every page of the web could talk to the programs that listen here.
   */
  admit(url: string): Promise<void>;
  /**
   * Whether an address can be opened in this context. One of this machine cannot once a page from elsewhere was in it: what
   * that has sent may still be on its way when the page itself is long closed.
   */
  fits(url: string): Promise<boolean>;
  /** A page goes to this address. Where that is elsewhere, this machine can no longer be reached. */
  visit(url: string): void;
  /** Any request of a page, redirects and parts of pages among them: where the connection may go. */
  check(url: string): Promise<readonly string[]>;
  /** Resolves when all that was asked so far was looked at. */
  settled(): Promise<void>;
  /** What was refused since it was last asked, each host once. */
  takeRefusals(): string[];
}

/** A page can ask for any number. */
const MAX_REFUSALS = 5;
/** Where the browser itself asks, about the forms of every page, which is nobody's business. */
const NOBODYS_BUSINESS = new Set(['content-autofill.googleapis.com', 'optimizationguide-pa.googleapis.com']);

/** Names that can mean no other machine than this one. */
const OWN_HOST = /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/;

export function createGuard(checkAddress: AddressCheck): Guard {
  let ownMachine = false;
  let wasElsewhere = false;
  /** This machine by other names, as the model gave them. */
  const ownHosts = new Set<string>();
  const refusals = new Map<string, string>();
  const running = new Set<Promise<unknown>>();

  const isOutside = (url: string) =>
    checkAddress(url, { byModel: true, ownMachine: false }).then(
      () => true,
      () => false,
    );

  async function look(url: string): Promise<readonly string[]> {
    const { host, hostname } = new URL(url);
    if (NOBODYS_BUSINESS.has(hostname)) throw new BrowserFailure(`${host} is not asked.`);
    try {
      return (await checkAddress(url, { byModel: false, ownMachine })).addresses;
    } catch (thrown) {
      if (refusals.size < MAX_REFUSALS) refusals.set(host, errorMessage(thrown));
      return refuse(thrown);
    }
  }

  return {
    async admit(url) {
      const outside = await isOutside(url);
      if (!outside) await checkAddress(url, { byModel: true, ownMachine: true }).catch(refuse);
      ownMachine = !outside && !wasElsewhere;
      wasElsewhere ||= outside;
      if (ownMachine) ownHosts.add(new URL(url).hostname);
    },
    fits: async (url) => !wasElsewhere || isOutside(url),
    visit(url) {
      const { protocol, hostname } = new URL(url);
      if (!/^https?:$/.test(protocol) || OWN_HOST.test(hostname) || ownHosts.has(hostname)) return;
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
