import { type FoundListing, type HubAnswer, installLine } from '../../../skills/hub/index.ts';
import { type Style, showable } from '../style.ts';

const HEADING = 'From elsewhere (community: nobody here knows them; each is scanned before it is installed)';

/** Skills that are not here, each with the line that installs it. */
export function formatListings(listings: readonly FoundListing[], style: Style): string {
  const blocks = listings.map((listing) => {
    const { name, version, description, withheld, catalogue, installed } = listing;
    const about =
      withheld === undefined ? showable(description) : style.yellow(`[withheld: its description ${withheld}]`);
    const head = `${style.bold(name)}${version === undefined ? '' : ` ${version}`}  ${about}`;
    const tail = installed ? style.green('is installed') : installLine(listing);
    return `${head.trimEnd()} ${style.dim(`(${inOneLine(catalogue)})`)}\n    ${tail}\n`;
  });
  return `${style.bold(HEADING)}\n${blocks.join('')}`;
}

/** What was not searched, or not all of it, and what to do about that. */
export function formatTroubles({ notes, failures }: HubAnswer, style: Style): string {
  const told = notes.map(({ catalogue, text }) => `${style.dim('·')} ${inOneLine(catalogue)}: ${inOneLine(text)}\n`);
  const failed = failures.map(({ catalogue, reason, hint }) => {
    const help = hint === undefined ? '' : ` ${hint}`;
    return `${style.yellow('!')} ${inOneLine(catalogue)} was not searched: ${inOneLine(`${reason}.${help}`)}\n`;
  });
  const isOffline = failures.length > 0 && failures.every(({ unreachable }) => unreachable);
  const offline = isOffline ? ['This machine seems to be offline; --here searches only what is here.\n'] : [];
  return [...told, ...failed, ...offline].join('');
}

/** What scripts get of a listing. */
export function toListingRecord(listing: FoundListing): object {
  return { ...listing, install: installLine(listing) };
}

function inOneLine(text: string): string {
  return showable(text).replace(/\s+/g, ' ');
}
