export { allOwners, type CredentialOwner, findOwner } from './credential-owner.ts';
export { type CredentialReport, listCredentials, type PoolReport } from './list-credentials.ts';
export * from './manage-credentials.ts';
