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
};

/** US dollars per million tokens. Without a price of its own, what a cache holds costs what input costs. */
export type ModelPrice = {
  input: number;
  output: number;
  cacheRead?: number;
  cacheWrite?: number;
  /** Who says so, and the date or version of what they said. */
  source: string;
  version: string;
};
