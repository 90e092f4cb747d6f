import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { PAIRING_LIMITS } from '../../contracts/index.ts';
import { type OpenStore, openHarness } from './store-harness.ts';

const ANA = { platform: 'telegram', userId: '7', userName: 'Ana 😀' };
const user = (userId: string, platform = 'telegram') => ({ platform, userId, userName: `User ${userId}` });

export function describePairing(open: OpenStore): void {
  describe('pairing', () => {
    const openPairing = async () => {
      const { store, advance } = await openHarness(open);
      const { pairing } = await store.openGatewayStore();
      const codeOf = async (asked: typeof ANA) => {
        const made = await pairing.request(asked);
        if (made.outcome !== 'code') throw new Error(made.outcome);
        return made.code;
      };
      return { pairing, advance, codeOf };
    };

    verifies('GW-28', 'approves the user of a code, which is not stored', async () => {
      const { pairing, codeOf } = await openPairing();
      const code = await codeOf(ANA);
      expect(code).toMatch(/^[A-HJ-NP-Z2-9]{8}$/);
      expect(await pairing.listPending()).toMatchObject([{ ...ANA, code: undefined }]);
      expect(await pairing.approve('discord', code)).toEqual({ outcome: 'not_found' });
      expect(await pairing.approve('telegram', ` ${code.toLowerCase()} `)).toMatchObject({
        outcome: 'approved',
        user: ANA,
      });
      expect(await pairing.approve('telegram', code)).toEqual({ outcome: 'not_found' });
      expect(await pairing.listPending()).toEqual([]);
      expect(await pairing.listApproved('telegram')).toMatchObject([ANA]);
      expect(await pairing.listApproved('discord')).toEqual([]);
      expect(await pairing.revoke('telegram', '7')).toBe(true);
      expect(await pairing.revoke('telegram', '7')).toBe(false);
      expect(await pairing.listApproved()).toEqual([]);
    });

    verifies('GW-28', 'limits requests and wrong codes', async () => {
      const { pairing, advance, codeOf } = await openPairing();
      await codeOf(ANA);
      expect(await pairing.request(ANA)).toEqual({ outcome: 'waiting' });
      await codeOf(user('8'));
      const third = await codeOf(user('9'));
      expect(await pairing.request(user('10'))).toEqual({ outcome: 'full' });
      await codeOf(user('10', 'discord'));
      for (let count = 0; count < PAIRING_LIMITS.maxFailures; count += 1)
        expect(await pairing.approve('telegram', 'AAAAAAAA')).toEqual({ outcome: 'not_found' });
      expect(await pairing.approve('telegram', third)).toEqual({ outcome: 'locked' });
      expect(await pairing.request(user('11'))).toEqual({ outcome: 'locked' });
      advance(PAIRING_LIMITS.lockoutMs + 1000);
      // The codes have expired, too.
      expect(await pairing.approve('telegram', third)).toEqual({ outcome: 'not_found' });
      expect(await pairing.listPending()).toEqual([]);
      await codeOf(ANA);
      expect(await pairing.clearPending('discord')).toBe(0);
      expect(await pairing.clearPending()).toBe(1);
    });

    it('keeps the order of approvals, and gives a code that two processes approve to one of them', async () => {
      const { pairing, advance, codeOf } = await openPairing();
      for (const id of ['9', '8', '7']) {
        const code = await codeOf(user(id));
        const outcomes = await Promise.all([pairing.approve('telegram', code), pairing.approve('telegram', code)]);
        expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['approved', 'not_found']);
        advance(1000);
      }
      expect((await pairing.listApproved()).map(({ userId }) => userId)).toEqual(['9', '8', '7']);
    });
  });
}
