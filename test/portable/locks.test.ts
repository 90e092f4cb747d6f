import { withoutLinuxFacilities } from './without-linux.ts';

withoutLinuxFacilities();

await import('../../src/util/file-lock.test.ts');
await import('../../src/util/folders.test.ts');
await import('../../src/util/locked-file.test.ts');
await import('../../src/runtime/session-lease.test.ts');
await import('../../src/environments/containers/container-leases.test.ts');
