import type { PoolStrategy } from '../../config/index.ts';
import type { Credential } from '../../contracts/index.ts';
import type { Login } from '../oauth/login-settings.ts';
import type { StoredCredential } from './stored-credential.ts';

/** A credential of a pool, wherever it is kept. Its id stays the same while its secret is renewed. */
export type PoolMember = Omit<StoredCredential, 'createdAt'> & {
  /** Where a renewed login is written back to; nowhere, where that is not possible. */
  keptIn?: 'auth-file' | 'claude-code';
  /** The file of another program into which a renewal has just been written. */
  writtenTo?: string;
};

/** Where the credentials of an endpoint come from. It is opened together with the route. */
export type CredentialPlan = {
  /** The name of the list in auth.json. */
  pool: string;
  /** As people know the provider. */
  name: string;
  home: string;
  /** The hosts to which these credentials may go. */
  hosts: readonly string[];
  strategy: PoolStrategy;
  /** From variables, or from the login of another program; these come before what auth.json has. */
  found: readonly PoolMember[];
  login?: Login;
  /** The file of Claude Code, where its login is used. */
  claudeCodeFile?: string;
};

/** A credential; with a plan it is only the first of several, or has to be made ready before each call. */
export type FoundCredential = Credential & { plan?: CredentialPlan };
