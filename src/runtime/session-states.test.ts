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
    const session = states.open('root');
    states.continueSession('root', 'child');
    expect(seen.splice(0)).toEqual(['root → child']);
    session.close();
    expect(seen).toEqual(['forget child', 'forget lineage child', 'forget root', 'forget lineage root']);
  });

  it('keeps the state that another agent still uses', () => {
    const { states, seen } = noting();
    const [first, second] = ['b', 'a'].map((id) => states.open(id));
    // The first session was resumed from a lineage that the second one has open.
    first?.setRoot('a');
    first?.close();
    expect(seen.splice(0)).toEqual(['forget b', 'forget lineage b']);
    second?.close();
    second?.close();
    expect(seen).toEqual(['forget a', 'forget lineage a']);
  });
});
