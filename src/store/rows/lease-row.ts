import { HermesError } from '../../base/index.ts';
import type { HeldLease } from '../../contracts/index.ts';
import { toMilliseconds } from './time.ts';

export type LeaseRow = {
  session_id: string;
  token: string;
  pid: number;
  host: string;
  surface: string;
  process_scope: string | null;
  ttl_ms: number;
  acquired_at: number;
  renewed_at: number;
  released: number;
};

export function isHeld(row: LeaseRow, now: number): boolean {
  const age = now - toMilliseconds(row.renewed_at);
  // A heart-beat from the future is a clock that was set back: it must not hold the session for as long.
  return row.released === 0 && age < row.ttl_ms && age > -row.ttl_ms;
}

export function toHeld(row: LeaseRow): HeldLease {
  const { token, pid, host, surface } = row;
  const since = toMilliseconds(row.acquired_at);
  const held: HeldLease = { token, pid, host, surface, since, renewedAt: toMilliseconds(row.renewed_at) };
  if (row.process_scope !== null) held.processScope = row.process_scope;
  return held;
}

export function takenOver({ pid, host, surface, session_id: taken }: LeaseRow): HermesError {
  return new HermesError(
    `Another process took session ${taken} over (process ${pid} on ${host}, ${surface}), because this one was not ` +
      'heard of for too long; nothing more was stored by this turn.',
    { hint: 'Resume the session to go on from what the other process made of it.' },
  );
}
