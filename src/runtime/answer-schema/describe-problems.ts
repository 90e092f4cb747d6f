import type { OutputUnit } from '@cfworker/json-schema';

const MOST_PROBLEMS = 10;

/** What is wrong with a value, place by place. A place that is wrong only because of one inside it is left out. */
export function describeProblems(errors: readonly OutputUnit[]): string[] {
  const isOuter = ({ instanceLocation: outer }: OutputUnit) =>
    errors.some(({ instanceLocation }) => instanceLocation.startsWith(`${outer}/`));
  const inner = errors.filter(
    (error) => !isOuter(error) && error.keyword !== 'properties' && error.keyword !== 'items',
  );
  // A reference only repeats what the schema behind it says.
  const told = inner.filter(({ keyword }) => keyword !== '$ref');
  const lines = (told.length > 0 ? told : errors).map(describe);
  return [...new Set(lines)].slice(0, MOST_PROBLEMS);
}

function describe({ instanceLocation, error }: OutputUnit): string {
  const place = instanceLocation.replace(/^#\/?/, '/');
  return `at ${place}: ${error.replace(/\.$/, '')}`;
}
