/** One rule of the specification. */
export type Rule = {
  /** The requirement, in our own words. */
  behaviour: string;
  /** `done`: at least one test verifies it. `partial`: some of it works. `planned`: nothing works yet. */
  state: 'done' | 'partial' | 'planned';
  /** What is missing in a partial rule, or a remark on the scope of any other rule. */
  note?: string;
};
