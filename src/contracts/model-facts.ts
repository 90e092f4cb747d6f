/** What is known of a model, whoever knows it; whatever is absent is unknown, and nobody guesses it. */
export type ModelFacts = {
  contextLength?: number;
  /** The most tokens one answer can have. */
  outputLimit?: number;
  /** Reads images; reads PDF files. */
  vision?: boolean;
  documents?: boolean;
  tools?: boolean;
  reasoning?: boolean;
  price?: ModelPrice;
  /** What the fast tier costs, where the provider offers one and its price is known. */
  fastPrice?: ModelPrice;
  /** Paid for by the month, so that a single call has no price. */
  subscription?: boolean;
};

/** US dollars per million tokens. Without a price of its own, what a cache holds costs what input costs. */
export type TokenPrices = {
  input: number;
  output: number;
  cacheRead?: number;
  cacheWrite?: number;
};

export type ModelPrice = TokenPrices & {
  /** What the whole of a call costs that read more tokens than this, fresh and cached ones together. */
  tiers?: readonly (TokenPrices & { above: number })[];
  /** Who says so, and the date or version of what they said. */
  source: string;
  version: string;
};

/** Limits that providers named when they refused a request as too large; kept over restarts. */
export interface LearntWindows {
  /** Tokens; undefined where nothing was learnt, or so long ago that it may have changed. */
  find(route: WindowOwner): number | undefined;
  learn(route: WindowOwner, tokens: number): void;
}

/** One model at one address: the same name elsewhere may have another window. */
export type WindowOwner = { provider: string; model: string; baseUrl: string };
