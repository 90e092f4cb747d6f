import type { NewTools, SessionSetup } from '../contracts/index.ts';
import {
  type OfferedTools,
  type OfferOptions,
  restoreOfferedTools,
  selectOfferedTools,
  toStoredOffer,
} from './offered-tools.ts';

export type StoredOffer = Pick<SessionSetup, 'tools' | 'knownTools'>;

/** The offer of one agent: decided or restored once, and decided again after `renew`. */
export interface OfferKeeper {
  offered(contextLength?: number): Promise<OfferedTools>;
  /** What the session setup stores; a stored offer stays until it is replaced. */
  stored(): StoredOffer | undefined;
  isRestored(): Promise<boolean>;
  renew(): void;
  /** Tools behind the bridge that the model does not know yet. */
  findNewTools(): Promise<NewTools | undefined>;
}

type OfferParts = Pick<OfferOptions, 'hiddenTools'> & {
  /** What the session setup says about the offered tools. */
  stored: StoredOffer | undefined;
  describeTools(contextLength?: number): Promise<OfferOptions>;
};

export function createOfferKeeper({ describeTools, hiddenTools, ...given }: OfferParts): OfferKeeper {
  let stored = given.stored?.tools === undefined ? undefined : given.stored;
  let restoring: Promise<OfferedTools | undefined> | undefined;
  let deciding: Promise<OfferedTools> | undefined;
  let made: OfferedTools | undefined;

  async function restore(): Promise<OfferedTools | undefined> {
    return stored && restoreOfferedTools(stored, await describeTools());
  }
  /** The current offer, as far as it does not depend on a model. */
  const current = async () => made ?? (await (restoring ??= restore()));

  async function decide(contextLength?: number): Promise<OfferedTools> {
    const next = (await (restoring ??= restore())) ?? (await selectOfferedTools(await describeTools(contextLength)));
    const isSame = made !== undefined && JSON.stringify(made.definitions) === JSON.stringify(next.definitions);
    made = isSame && made !== undefined ? { ...next, definitions: made.definitions } : next;
    return made;
  }

  return {
    offered: (contextLength) => (deciding ??= decide(contextLength)),
    stored: () => (made === undefined ? stored : toStoredOffer(made)),
    isRestored: async () => (await current())?.isRestored ?? false,
    renew() {
      [deciding, stored, restoring] = [undefined, undefined, undefined];
    },
    async findNewTools() {
      const offer = await current();
      if (offer === undefined || offer.bridge.length === 0) return undefined;
      const hidden = (await hiddenTools(offer.toolsets)).map(({ name }) => name);
      const names = hidden.filter((name) => !offer.known.has(name));
      if (names.length === 0) return undefined;
      return {
        names,
        markKnown() {
          for (const name of names) offer.known.add(name);
        },
      };
    },
  };
}
