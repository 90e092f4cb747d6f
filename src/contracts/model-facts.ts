/** Facts about a model. A missing fact is unknown and is never guessed. */
export type ModelFacts = {
  contextLength?: number;
  /** Maximum tokens of one answer, including reasoning. */
  outputLimit?: number;
  /** Whether it reads images (`vision`) and PDF files (`documents`). */
  vision?: boolean;
  documents?: boolean;
  tools?: boolean;
  reasoning?: boolean;
  price?: ModelPrice;
  /** The price of the priority service tier, if there is one and its price is known. */
  fastPrice?: ModelPrice;
  /** The model is paid by subscription, so a single call has no price. */
  subscription?: boolean;
};

/** US dollars per million tokens. Cached tokens cost the same as input if they have no price of their own. */
export type TokenPrices = {
  input: number;
  output: number;
  cacheRead?: number;
  cacheWrite?: number;
};

export type ModelPrice = TokenPrices & {
  /** The prices of a whole call whose input, fresh and cached together, exceeds `above` tokens. */
  tiers?: readonly (TokenPrices & { above: number })[];
  /** Where the price comes from, and its date or version. */
  source: string;
  version: string;
};

/** The output limit of a model whose own limit is unknown. */
export const DEFAULT_OUTPUT_LIMIT = 32_000;

/** Token limits learned from provider errors: context windows or output limits. */
export interface LearnedLimits {
  /** The limit in tokens; undefined if none was learned or it is too old. */
  find(route: LimitOwner): number | undefined;
  learn(route: LimitOwner, tokens: number): void;
}

/** One model at one base URL: the same name elsewhere may have other limits. */
export type LimitOwner = { provider: string; model: string; baseUrl: string };
