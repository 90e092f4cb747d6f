/** What a session is to its parent, in words before the id of that one. */
export function parentLabel({ isBranch, isDelegated }: { isBranch?: boolean; isDelegated?: boolean }): string {
  if (isBranch) return 'branch of';
  return isDelegated ? 'works for' : 'continues';
}
