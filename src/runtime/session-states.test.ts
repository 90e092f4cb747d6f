import { describe, expect, it } from 'vitest';
import { createSessionStates } from './session-states.ts';

function noting() {
  const seen: string[] = [];
  const states = createSessionStates();
  states.register(
    { forget: (id) => void seen.push(`forget ${id}`), continueSession: (...ids) => void seen.push(ids.join(' → ')) },
    { forget: (id) => void seen.push(`forget lineage ${id}`) },
  );
  return { states, seen };
}

describe('createSessionStates', () => {
  it('forgets a session and its root when the agent is closed', () => {
    const { states, seen } = noting();
    const close = states.open({ sessionId: () => 'child', rootId: () => 'root' });
    states.continueSession('root', 'child');
    expect(seen.splice(0)).toEqual(['root → child']);
    close();
    expect(seen).toEqual(['forget child', 'forget lineage child', 'forget root', 'forget lineage root']);
  });

  it('keeps what another agent still has open', () => {
    const { states, seen } = noting();
    const [first, second] = ['a', 'a'].map((id) => states.open({ sessionId: () => id, rootId: () => id }));
    first?.();
    expect(seen).toEqual([]);
    second?.();
    expect(seen).toEqual(['forget a', 'forget lineage a']);
  });
});
