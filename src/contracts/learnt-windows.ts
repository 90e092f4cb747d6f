/** Limits that providers named when they refused a request as too large; kept over restarts. */
export interface LearntWindows {
  /** Tokens; undefined where nothing was learnt, or so long ago that it may have changed. */
  find(route: WindowOwner): number | undefined;
  learn(route: WindowOwner, tokens: number): void;
}

/** One model at one address: the same name elsewhere may have another window. */
export type WindowOwner = { provider: string; model: string; baseUrl: string };
