import { describe, expect, it } from 'vitest';
import { hasRole, OWNER, ACTOR_ROLES } from './actor.ts';

describe('hasRole', () => {
  it('is true for the required role and every higher one', () => {
    const allowed = ACTOR_ROLES.map((role) => ACTOR_ROLES.filter((required) => hasRole({ role }, required)));
    expect(allowed).toEqual([
      ['owner', 'admin', 'user', 'guest'],
      ['admin', 'user', 'guest'],
      ['user', 'guest'],
      ['guest'],
    ]);
    expect(hasRole(OWNER, 'owner')).toBe(true);
  });

  it('is false for a role that does not exist', () => {
    expect(hasRole({ role: 'king' as 'owner' }, 'guest')).toBe(false);
  });
});
