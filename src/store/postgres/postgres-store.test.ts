import { dose } from '../../../test/support/dose.ts';
import { useServer } from '../../../test/support/postgres/store-fixture.ts';
import { describeSessionStore } from '../conformance.ts';
import { openPostgresStore } from './index.ts';

const { emptyDatabase } = useServer();

describeSessionStore(
  'PostgreSQL',
  async ({ clock }) => {
    const url = await emptyDatabase();
    return { store: await openPostgresStore({ url, clock }), openAgain: () => openPostgresStore({ url, clock }) };
  },
  // The small dose tests the other statements with SQLite.
  { common: dose(false, true) },
);
