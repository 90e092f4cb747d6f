import { useServer } from '../../../test/support/postgres/store-fixture.ts';
import { describeSessionStore } from '../conformance.ts';
import { openPostgresStore } from './index.ts';

const { emptyDatabase } = useServer();

describeSessionStore('PostgreSQL', async ({ clock }) => {
  const url = await emptyDatabase();
  return { store: await openPostgresStore({ url, clock }), openAgain: () => openPostgresStore({ url, clock }) };
});
