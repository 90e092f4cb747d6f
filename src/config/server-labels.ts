/**
 * What the tools of each server are named after: its name in the characters that every provider takes. Two that come out the
 * same, or of which one could have the tools of the other (`a` with `b__c`, `a__b` with `c`), are told apart by a number,
 * so that neither stands in for the other: what a person allows one of them holds for that one.
 */
export function labelServers(names: readonly string[]): Map<string, string> {
  const labels = new Map<string, string>();
  for (const name of names) {
    const plain = name.replace(/[^A-Za-z0-9_-]/g, '_') || '_';
    // Without two of them in a row, nor one at the end, nothing can be put behind it that another one has.
    const base = plain.replaceAll(/_+/g, '_').replace(/_$/, '');
    let label = plain;
    for (let number = 2; [...labels.values()].some((taken) => mayClash(taken, label)); number += 1)
      label = `${base}_${number}`;
    labels.set(name, label);
  }
  return labels;
}

function mayClash(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  return long === short || long === `${short}_` || long.startsWith(`${short}__`);
}
