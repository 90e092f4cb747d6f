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

/** Tests that every implementation of `SessionStore` must pass. `openStore` returns a new, empty store each time. */
export function describeSessionStore(name: string, openStore: OpenStore): void {
  describe(`${name} as a session store`, () => {
    describeSessions(openStore);
    describeSessionSetups(openStore);
    describeLookup(openStore);
    describeMessages(openStore);
    describeFileChanges(openStore);
    describeAccounting(openStore);
    describeLineage(openStore);
    describeBranch(openStore);
    describeTransfer(openStore);
    describeRemoval(openStore);
    describeUndo(openStore);
    describeLeases(openStore);
    describeQuestions(openStore);
    describeTurnCommands(openStore);
    describeGateway(openStore);
    describePairing(openStore);
    describeCron(openStore);
    describeApi(openStore);
    describeResponses(openStore);
    describeBlobs(openStore);
    describeStatistics(openStore);
    describeSubagents(openStore);
    describeSearch(openStore);
    describeRecall(openStore);
  });
}
