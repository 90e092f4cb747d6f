import { describe } from 'vitest';
import type { OpenStore } from './conformance/store-harness.ts';
import { describeAccounting } from './conformance/accounting.ts';
import { describeApi } from './conformance/api.ts';
import { describeBlobs } from './conformance/blobs.ts';
import { describeBranch } from './conformance/branch.ts';
import { describeCron } from './conformance/cron.ts';
import { describeFileChanges } from './conformance/file-changes.ts';
import { describeGateway } from './conformance/gateway.ts';
import { describeLeases } from './conformance/leases.ts';
import { describeLineage } from './conformance/lineage.ts';
import { describePairing } from './conformance/pairing.ts';
import { describeQuestions } from './conformance/questions.ts';
import { describeResponses } from './conformance/responses.ts';
import { describeRecall } from './conformance/recall.ts';
import { describeRemoval } from './conformance/removal.ts';
import { describeStatistics } from './conformance/statistics.ts';
import { describeTurnCommands } from './conformance/turn-commands.ts';
import { describeUndo } from './conformance/undo.ts';
import { describeSubagents } from './conformance/subagents.ts';
import { describeTransfer } from './conformance/transfer.ts';
import { describeLookup } from './conformance/lookup.ts';
import { describeMessages } from './conformance/messages.ts';
import { describeSearch } from './conformance/search.ts';
import { describeSessionSetups } from './conformance/session-setups.ts';
import { describeSessions } from './conformance/sessions.ts';

export type { OpenStore, StoreUnderTest } from './conformance/store-harness.ts';

/** About statements that each database spells differently, or whose locks and notifications work differently. */
const DIALECT_GROUPS = [
  describeSessions,
  describeMessages,
  describeTransfer,
  describeRemoval,
  describeLeases,
  describeTurnCommands,
  describeGateway,
  describeCron,
  describeBlobs,
  describeStatistics,
  describeSearch,
  describeRecall,
];

/** About statements that are written once for all databases. */
const COMMON_GROUPS = [
  describeSessionSetups,
  describeLookup,
  describeFileChanges,
  describeAccounting,
  describeLineage,
  describeBranch,
  describeUndo,
  describeQuestions,
  describePairing,
  describeApi,
  describeResponses,
  describeSubagents,
];

/**
 * Tests that every implementation of `SessionStore` must pass. `openStore` returns a new, empty store each time. Without
 * `common`, only the tests about what depends on the database run.
 */
export function describeSessionStore(name: string, openStore: OpenStore, { common = true } = {}): void {
  describe(`${name} as a session store`, () => {
    for (const describeGroup of [...DIALECT_GROUPS, ...(common ? COMMON_GROUPS : [])]) describeGroup(openStore);
  });
}
