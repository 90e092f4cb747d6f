/** One rule of the specification. */
export type Rule = {
  /** What the rule asks for, in our own words. */
  behaviour: string;
  /** `done`: at least one test verifies it. `partial`: some of it works. `planned`: nothing of it works yet. */
  state: 'done' | 'partial' | 'planned';
  /** What a partial rule still misses, or a remark on the scope of any other rule. */
  note?: string;
};
