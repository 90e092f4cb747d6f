/** What a catalogue says of one skill, before anything of it was fetched. All of it was written by others. */
export type SkillListing = {
  name: string;
  /** In one line. Empty where it was withheld. */
  description: string;
  version?: string;
  /** What `hermes skills install` takes. */
  source: string;
  /** The folder of the skill inside of the source. */
  path?: string;
};

export type CatalogueAnswer = {
  listings: SkillListing[];
  /** What the person should know about the answer: that there is more, that some of it was left out. */
  notes: string[];
};

/** One place that is asked for skills which are not here. */
export type SkillCatalogue = {
  /** What reports call it; has no secret. */
  name: string;
  /** Words are small letters; a listing has to have all of them. */
  search(words: readonly string[], signal: AbortSignal): Promise<CatalogueAnswer>;
};
