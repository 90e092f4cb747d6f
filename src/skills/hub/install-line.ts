import type { SkillListing } from './catalogue.ts';

/** What the person types to get it. Listings have nothing in them that a shell would act on. */
export function installLine({ source, path }: SkillListing): string {
  return `hermes skills install ${source}${path === undefined ? '' : ` --path ${path}`}`;
}
