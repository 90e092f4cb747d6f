/** Without letters and digits that look alike. */
export const PAIRING_ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

/** The limits of the original, for files and tables. */
export const PAIRING_LIMITS = {
  codeLength: 8,
  /** How long a code is valid. */
  codeMs: 3_600_000,
  /** How many requests of a platform can be open. */
  maxOpen: 3,
  /** How long a user waits for the next code. */
  requestIntervalMs: 600_000,
  /** After so many wrong codes, no code of the platform is accepted for some time. */
  maxFailures: 5,
  lockoutMs: 3_600_000,
} as const;

export type PairedUser = { platform: string; userId: string; userName: string };
/** `code` is undefined if only its hash is stored. */
export type PendingUser = PairedUser & { code: string | undefined; createdAt: number };
export type ApprovedUser = PairedUser & { approvedAt: number };

/** The outcome of a request: `waiting`: the user already has a code; `full`: too many requests are open. */
export type PairingRequest = { outcome: 'code'; code: string } | { outcome: 'waiting' | 'full' | 'locked' };
export type PairingApproval = { outcome: 'approved'; user: ApprovedUser } | { outcome: 'not_found' | 'locked' };

/** Lets strangers ask for access to the bot: they get a code, and the owner approves it in the terminal. */
export interface Pairing {
  request(user: PairedUser): Promise<PairingRequest>;
  approve(platform: string, code: string): Promise<PairingApproval>;
  /** Returns false if the user was not approved. */
  revoke(platform: string, userId: string): Promise<boolean>;
  /** Deletes open requests and returns their number. */
  clearPending(platform?: string): Promise<number>;
  listPending(): Promise<PendingUser[]>;
  /** The users of one platform, or of all, those who were approved first at the start. */
  listApproved(platform?: string): Promise<ApprovedUser[]>;
}
